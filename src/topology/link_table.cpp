#include <array>

#include "tutti/topology/links.hpp"

namespace tutti {

namespace {

// PCI Express: gigatransfers times line code: 128b/130b up to generation 5, flits of 236 payload bytes in 256 in
// generation 6. InfiniBand and Ethernet: data rates, which exclude 64b/66b and forward error correction.
constexpr std::array links{
    LinkFacts{"NVLink", "NVLink 1", "link", 20, 4, "P100", 18, "8 pairs at 20 Gbit/s each way",
              "NVIDIA Tesla P100 white paper WP-08019 (2016): 160 GB/s both ways over 4 links"},
    LinkFacts{"NVLink", "NVLink 2", "link", 25, 6, "V100", 20, "8 pairs at 25 Gbit/s each way",
              "NVIDIA Tesla V100 white paper WP-08608 (2017): 300 GB/s both ways over 6 links"},
    LinkFacts{"NVLink", "NVLink 3", "link", 25, 12, "A100", 20, "4 pairs at 50 Gbit/s each way",
              "NVIDIA A100 white paper (2020): 600 GB/s both ways over 12 links"},
    LinkFacts{
        "NVLink", "NVLink 4", "link", 25, 18, "H100, H200", 20.6, "2 pairs at 100 Gbit/s each way",
        "NVIDIA H100 white paper (2022): 900 GB/s both ways over 18 links",
        "900 GB/s is both directions together: 450 one way. Tables that list \"450\" beside NVLink 3's \"600\", or "
        "900 one way, mix the two."},
    LinkFacts{
        "NVLink", "NVLink 5", "link", 50, 18, "B200, GB200", 40.1, "2 pairs at 200 Gbit/s each way",
        "NVIDIA GB200 NVL72 data sheet (2024): 1.8 TB/s both ways over 18 links; 130 TB/s over 72 GPUs",
        "1,800 GB/s is both directions together: 900 one way. \"NVLink 5: 900\" beside \"NVLink 4: 900\" compares "
        "one direction with two."},
    LinkFacts{"PCIe", "PCIe 3", "lane", 8.0 / 8 * 128 / 130, 16, "x16 slot", 0.75, "8 GT/s, 128b/130b",
              "PCI Express Base Specification 3.0",
              "\"32 GB/s\" is both directions, before the line code: 15.75 one way, and 12 to 13 in transfers."},
    LinkFacts{"PCIe", "PCIe 4", "lane", 16.0 / 8 * 128 / 130, 16, "x16 slot", 1.5, "16 GT/s, 128b/130b",
              "PCI Express Base Specification 4.0", "\"64 GB/s\" is both directions: 31.5 one way."},
    LinkFacts{"PCIe", "PCIe 5", "lane", 32.0 / 8 * 128 / 130, 16, "x16 slot", 3, "32 GT/s, 128b/130b",
              "PCI Express Base Specification 5.0", "\"128 GB/s\" is both directions: 63 one way."},
    LinkFacts{"PCIe", "PCIe 6", "lane", 64.0 / 8 * 236 / 256, 16, "x16 slot", 6, "64 GT/s PAM4, flits of 256 bytes",
              "PCI Express Base Specification 6.0",
              "\"256 GB/s\" is both directions and counts whole flits: 118 one way."},
    LinkFacts{"InfiniBand", "EDR", "port", 12.5, 1, "4X port", 0, "4 lanes of 25 Gbit/s", "IBTA roadmap"},
    LinkFacts{"InfiniBand", "HDR", "port", 25, 1, "4X port", 0, "4 lanes of 50 Gbit/s", "IBTA roadmap",
              "HDR100 is two of the four lanes: 12.5 GB/s."},
    LinkFacts{
        "InfiniBand", "NDR", "port", 50, 1, "4X port", 0, "4 lanes of 100 Gbit/s", "IBTA roadmap",
        "\"NDR200\" is two lanes. A ConnectX-7 on PCIe 5 x16 is bounded by 48 GB/s that PCIe reaches, not by 50."},
    LinkFacts{"InfiniBand", "XDR", "port", 100, 1, "4X port", 0, "4 lanes of 200 Gbit/s", "IBTA roadmap",
              "Needs PCIe 6 x16: generation 5 carries half of it."},
    LinkFacts{"Ethernet", "100 GbE", "port", 12.5, 1, "port", 0, "4 lanes of 25 or 2 of 50 Gbit/s",
              "IEEE 802.3bj-2014, 802.3cd-2018"},
    LinkFacts{"Ethernet", "200 GbE", "port", 25, 1, "port", 0, "4 lanes of 50 or 2 of 100 Gbit/s",
              "IEEE 802.3bs-2017, 802.3ck-2022"},
    LinkFacts{"Ethernet", "400 GbE", "port", 50, 1, "port", 0, "8 lanes of 50 or 4 of 100 Gbit/s",
              "IEEE 802.3bs-2017, 802.3ck-2022"},
    LinkFacts{"Ethernet", "800 GbE", "port", 100, 1, "port", 0, "8 lanes of 100 Gbit/s", "IEEE 802.3df-2024"},
};

constexpr std::array gpus{
    GpuFacts{"P100 SXM2", "HBM2", 16, 732, 1, 4, 3, "NVIDIA Tesla P100 data sheet (2016)"},
    GpuFacts{"V100 SXM2", "HBM2", 32, 900, 2, 6, 3, "NVIDIA V100 data sheet (2020)"},
    GpuFacts{"A100 SXM4 40GB", "HBM2", 40, 1555, 3, 12, 4, "NVIDIA A100 white paper (2020)"},
    GpuFacts{"A100 SXM4 80GB", "HBM2e", 80, 2039, 3, 12, 4, "NVIDIA A100 data sheet (2021)"},
    GpuFacts{"A100 PCIe 80GB", "HBM2e", 80, 1935, 3, 12, 4,
             "NVIDIA A100 data sheet (2021); the links join two cards by bridges"},
    GpuFacts{"A10G", "GDDR6", 24, 600, 0, 0, 4, "NVIDIA A10 and A10G data sheets (2021)"},
    GpuFacts{"L40S", "GDDR6", 48, 864, 0, 0, 4, "NVIDIA L40S data sheet (2023)"},
    GpuFacts{"RTX 4090", "GDDR6X", 24, 1008, 0, 0, 4, "NVIDIA Ada GPU architecture white paper (2022)"},
    GpuFacts{"RTX 5090", "GDDR7", 32, 1792, 0, 0, 5, "NVIDIA RTX Blackwell GPU architecture white paper (2025)"},
    GpuFacts{"H100 PCIe", "HBM2e", 80, 2000, 4, 12, 5,
             "NVIDIA H100 white paper (2022): 2 TB/s; bridges of 600 GB/s both ways"},
    GpuFacts{"H100 SXM", "HBM3", 80, 3350, 4, 18, 5, "NVIDIA H100 data sheet (2023): 3.35 TB/s"},
    GpuFacts{"H200 SXM", "HBM3e", 141, 4800, 4, 18, 5, "NVIDIA H200 data sheet (2024): 4.8 TB/s"},
    GpuFacts{"GH200", "HBM3", 96, 4000, 4, 18, 5, "NVIDIA GH200 data sheet (2023): 4 TB/s"},
    GpuFacts{"B200", "HBM3e", 180, 8000, 5, 18, 5, "NVIDIA DGX B200 data sheet (2024): 1,440 GB and 64 TB/s over 8"},
    GpuFacts{"GB200", "HBM3e", 186, 8000, 5, 18, 5,
             "NVIDIA GB200 NVL72 data sheet (2024): 13.4 TB and 576 TB/s over 72"},
    GpuFacts{"MI250X", "HBM2e", 128, 3277, 0, 0, 4, "AMD Instinct MI250X data sheet (2021)"},
    GpuFacts{"MI300X", "HBM3", 192, 5300, 0, 0, 5, "AMD Instinct MI300X data sheet (2023): 5.3 TB/s"},
};

}  // namespace

std::span<const LinkFacts> link_table() { return links; }
std::span<const GpuFacts> gpu_table() { return gpus; }

}  // namespace tutti
