#include "topology/preset_list.hpp"

#include <array>

namespace tutti {

namespace {

constexpr SourcedFact reached{"bandwidth that transfers reach",
                              "NCCL 2.30, src/graph/topo.h; see tutti topology --links"};
constexpr SourcedFact processors{
    "cores and threads of a processor; one NUMA node a socket where no other number is said",
    "Intel's and AMD's product pages of that model; NVIDIA Grace CPU data sheet: 72 cores, one thread each"};
constexpr SourcedFact latencies{
    "latency of links: 0.5 us a PCI link, 0.6 us an NVLink, 0.2 us between sockets",
    "assumed: no data sheet says; of the size that small transfers between such devices are seen to take"};
constexpr SourcedFact bus_ids{"PCI bus ids, names of adapters", "made up: they differ from machine to machine"};

constexpr PresetCpu broadwell{"Intel Xeon E5-2698 v4", "GenuineIntel", "x86_64", 6, 79, 2, 20, 2, 2};
constexpr PresetCpu skylake{"Intel Xeon Platinum 8168", "GenuineIntel", "x86_64", 6, 85, 2, 24, 2, 2};
constexpr PresetCpu gold{"Intel Xeon Gold 6148", "GenuineIntel", "x86_64", 6, 85, 2, 20, 2, 2};
constexpr PresetCpu rome{"AMD EPYC 7742", "AuthenticAMD", "x86_64", 23, 49, 2, 64, 8, 2};
constexpr PresetCpu milan{"AMD EPYC 7763", "AuthenticAMD", "x86_64", 25, 1, 2, 64, 2, 2};
constexpr PresetCpu ice_lake{"Intel Xeon Platinum 8380", "GenuineIntel", "x86_64", 6, 106, 2, 40, 2, 2};
constexpr PresetCpu sapphire{"Intel Xeon Platinum 8480C", "GenuineIntel", "x86_64", 6, 143, 2, 56, 2, 2};
constexpr PresetCpu emerald{"Intel Xeon Platinum 8570", "GenuineIntel", "x86_64", 6, 207, 2, 56, 2, 2};
constexpr PresetCpu grace{"NVIDIA Grace", "", "arm64", -1, -1, 2, 72, 2, 1};

// --- NVLink ------------------------------------------------------------------------------------------------
constexpr std::array<PresetGroup, 4> dgx1_groups{{{0, 2, 1}, {0, 2, 1}, {1, 2, 1}, {1, 2, 1}}};
constexpr std::array<PresetPair, 16> cube_mesh{{{0, 1, 1},
                                                {0, 2, 1},
                                                {0, 3, 2},
                                                {0, 4, 2},
                                                {1, 2, 2},
                                                {1, 3, 1},
                                                {1, 5, 2},
                                                {2, 3, 2},
                                                {2, 6, 1},
                                                {3, 7, 1},
                                                {4, 5, 1},
                                                {4, 6, 1},
                                                {4, 7, 2},
                                                {5, 6, 2},
                                                {5, 7, 1},
                                                {6, 7, 2}}};
constexpr std::array dgx1_facts{
    SourcedFact{"8 V100, 6 NVLinks each in a hybrid cube mesh, 2 GPUs and an adapter below each PCI switch",
                "NVIDIA DGX-1 with Tesla V100 white paper WP-08437; nvidia-smi topo -m of DGX-1V machines"},
    SourcedFact{"4 EDR adapters of 100 Gbit/s, 2 Xeon E5-2698 v4", "NVIDIA DGX-1 data sheet"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array<PresetGroup, 8> dgx2_groups{{{0, 2, 1, 2, 0},
                                                  {0, 2, 1, 2, 0},
                                                  {0, 2, 1, 2, 1},
                                                  {0, 2, 1, 2, 1},
                                                  {1, 2, 1, 2, 2},
                                                  {1, 2, 1, 2, 2},
                                                  {1, 2, 1, 2, 3},
                                                  {1, 2, 1, 2, 3}}};
constexpr std::array dgx2_links{1, 1, 1, 1, 1, 1};
constexpr std::array dgx2_facts{
    SourcedFact{"16 V100 on 2 boards, a link of each GPU to each of the 6 NVSwitches of its board, 8 links from each "
                "switch to its like on the other board",
                "NVIDIA NVSwitch white paper (2018)"},
    SourcedFact{"PCI switches on two levels below 4 root ports",
                "hwloc's dump of a DGX-2 (tests/hwloc/xml/nvidiaDGX2.xml)"},
    SourcedFact{"8 adapters of 100 Gbit/s, 2 Xeon Platinum 8168", "NVIDIA DGX-2 data sheet"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array<PresetGroup, 4> dgx_a100_groups{{{3, 2, 2}, {1, 2, 2}, {7, 2, 2}, {5, 2, 2}}};
constexpr std::array dgx_a100_links{2, 2, 2, 2, 2, 2};
constexpr std::array dgx_a100_facts{
    SourcedFact{"8 A100 SXM4, 12 NVLinks each to 6 NVSwitches", "NVIDIA DGX A100 white paper (2020)"},
    SourcedFact{"2 GPUs and 2 ConnectX-6 of 200 Gbit/s below each PCI switch, on NUMA nodes 3, 1, 7, 5",
                "NVIDIA DGX A100 user guide; OCI's topology file of such a machine"},
    SourcedFact{"2 EPYC 7742 as 8 NUMA nodes (NPS4)", "NVIDIA DGX A100 user guide"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array<PresetGroup, 8> one_each{
    {{0, 1, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}};
constexpr std::array hopper_links{5, 5, 4, 4};
constexpr std::array blackwell_links{9, 9};
constexpr SourcedFact hopper_switches{"5, 5, 4 and 4 of a GPU's 18 NVLinks to the 4 NVSwitches",
                                      "NVIDIA H100 white paper; OCI's topology file of BM.GPU.H100.8"};
constexpr SourcedFact one_adapter_each{"a ConnectX-7 of 400 Gbit/s beside each GPU below a PCI 5 switch",
                                       "NVIDIA DGX H100 user guide"};
constexpr std::array dgx_h100_facts{
    hopper_switches, one_adapter_each, SourcedFact{"2 Xeon Platinum 8480C", "NVIDIA DGX H100 data sheet"},
    reached,         processors,       latencies,
    bus_ids};
constexpr std::array dgx_h200_facts{
    hopper_switches, one_adapter_each, SourcedFact{"2 Xeon Platinum 8480C", "NVIDIA DGX H200 data sheet"},
    reached,         processors,       latencies,
    bus_ids};
constexpr std::array dgx_b200_facts{
    SourcedFact{"8 B200, 18 NVLinks each to 2 NVSwitches", "NVIDIA DGX B200 data sheet: 14.4 TB/s both ways over 8"},
    SourcedFact{"a ConnectX-7 of 400 Gbit/s for each GPU, 2 Xeon Platinum 8570", "NVIDIA DGX B200 data sheet"},
    SourcedFact{"an adapter beside each GPU below a PCI 5 switch", "assumed: as in DGX H100"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array<PresetGroup, 4> gb200_groups{{{0, 2, 0, 0}, {0, 0, 2, 0}, {1, 2, 0, 0}, {1, 0, 2, 0}}};
constexpr std::array gb200_links{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
constexpr std::array gb200_facts{
    SourcedFact{"18 trays of 4 GPUs and 2 Grace, one NVLink of each GPU to each of 18 NVSwitches in 9 switch trays",
                "NVIDIA GB200 NVL72 data sheet; NVIDIA GB200 NVL multi-node tuning guide"},
    SourcedFact{"5 chip-to-chip links of 44.7 GB/s one way between a GPU and its Grace",
                "NCCL topology dumps of such trays; the data sheet says 900 GB/s both ways for two GPUs"},
    SourcedFact{"4 ConnectX-7 of 400 Gbit/s a tray, 2 on each Grace", "NVIDIA GB200 NVL72 reference: 1 adapter a GPU"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array b200_800_facts{
    SourcedFact{"8 B200, 18 NVLinks each to 2 NVSwitches", "NVIDIA DGX B200 data sheet"},
    SourcedFact{"a ConnectX-8 of 800 Gbit/s on PCI 6 beside each GPU",
                "assumed: NVIDIA ConnectX-8 SuperNIC data sheet: 800 Gbit/s, PCI 6 x16"},
    SourcedFact{"2 Xeon Platinum 8570", "assumed: as in DGX B200; its own PCI is 5, so GPUs are on PCI 5"},
    reached,
    processors,
    latencies,
    bus_ids};

// --- PCI ---------------------------------------------------------------------------------------------------
constexpr std::array<PresetGroup, 4> pcie_four{{{0, 2, 0, 0}, {0, 0, 1, 0}, {1, 2, 0, 0}, {1, 0, 1, 0}}};
constexpr std::array<PresetPair, 2> bridges{{{0, 1, 12}, {2, 3, 12}}};
constexpr std::array a100_pcie_facts{
    SourcedFact{"4 A100 PCIe, PCI 4 x16, two on each socket's root ports", "Dell PowerEdge R750xa technical guide"},
    SourcedFact{"2 Xeon Platinum 8380", "assumed: one of those that fit that server"},
    SourcedFact{"an adapter of 200 Gbit/s on each socket", "assumed: the usual choice"},
    reached,
    processors,
    latencies,
    bus_ids};
constexpr std::array a100_bridged_facts{
    SourcedFact{"4 A100 PCIe, pairs joined by 3 bridges: 12 NVLinks, 600 GB/s both ways",
                "NVIDIA A100 PCIe product brief PB-10577; Azure NC96ads A100 v4 is of this kind"},
    SourcedFact{"2 Xeon Platinum 8380", "assumed: as in 4xA100-PCIe"},
    SourcedFact{"an adapter of 200 Gbit/s on each socket", "assumed: the usual choice"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array<PresetGroup, 2> two_switches{{{0, 4, 2}, {1, 4, 2}}};
constexpr std::array l40s_facts{
    SourcedFact{"8 L40S on PCI 4 x16, 4 GPUs and 2 adapters below one PCI 5 switch of each socket",
                "NVIDIA's 2-8-5 reference configuration for L40S servers"},
    SourcedFact{"ConnectX-7 of 200 Gbit/s, 2 Xeon Platinum 8480C", "assumed: the usual choice"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array<PresetGroup, 3> eight_ports{{{0, 4, 0, 0}, {0, 0, 1, 0}, {1, 4, 0, 0}}};
constexpr std::array rtx4090_facts{
    SourcedFact{"8 RTX 4090 on root ports, PCI 4 x16", "nvidia-smi topo -m of rented machines: all SYS or PHB"},
    SourcedFact{"2 EPYC 7763, an adapter of 100 Gbit/s", "assumed: the usual choice"},
    SourcedFact{
        "no copies between GPUs: their driver refuses, so transfers go through the processors' memory and reach "
        "less than the links here",
        "NVIDIA driver release notes; published nccl-tests tables of such machines: 2 to 3 GB/s"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array v100_pcie_facts{
    SourcedFact{"4 V100 PCIe, PCI 3 x16, two on each socket's root ports, 2 Xeon Gold 6148",
                "Dell PowerEdge C4140 technical guide, configuration without NVLink"},
    SourcedFact{"an adapter of 100 Gbit/s on each socket", "assumed: the usual choice"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array<PresetGroup, 4> paired_switches{
    {{0, 2, 1, 2, 0}, {0, 2, 0, 2, 0}, {1, 2, 1, 2, 1}, {1, 2, 0, 2, 1}}};
constexpr std::array a40_facts{
    SourcedFact{"8 A40 on PCI 4 x16, two switches of 2 GPUs below one more on each socket, 2 Xeon Platinum 8380",
                "assumed: the common build of two-socket boxes with 8 double-width slots"},
    SourcedFact{"an adapter of 200 Gbit/s on each socket", "assumed: the usual choice"},
    reached,
    processors,
    latencies,
    bus_ids};

constexpr std::array machines{
    PresetEntry{{"dgx-1-v100", "DGX-1: 8 V100 in a hybrid cube mesh of NVLink 2, 4 EDR", dgx1_facts},
                {.name = "dgx-1-v100",
                 .gpu = "Tesla V100-SXM2-32GB",
                 .compute_capability = 70,
                 .cpu = broadwell,
                 .groups = dgx1_groups,
                 .gpu_speed = 8,
                 .nic_speed = 8,
                 .nic = "ConnectX-4",
                 .nic_gigabits = 100,
                 .pairs = cube_mesh},
                "dgx-1"},
    PresetEntry{{"dgx-2", "DGX-2: 16 V100, NVLink 2 through 12 NVSwitches, 8 EDR", dgx2_facts},
                {.name = "dgx-2",
                 .gpu = "Tesla V100-SXM3-32GB",
                 .compute_capability = 70,
                 .cpu = skylake,
                 .groups = dgx2_groups,
                 .gpu_speed = 8,
                 .nic_speed = 8,
                 .nic = "ConnectX-5",
                 .nic_gigabits = 100,
                 .nv_switches = 6,
                 .links_to_switches = dgx2_links,
                 .boards = 2,
                 .board_links = 8}},
    PresetEntry{{"dgx-a100", "DGX A100: 8 A100, NVLink 3 through 6 NVSwitches, 8 HDR", dgx_a100_facts},
                {.name = "dgx-a100",
                 .gpu = "NVIDIA A100-SXM4-80GB",
                 .compute_capability = 80,
                 .cpu = rome,
                 .groups = dgx_a100_groups,
                 .gpu_speed = 16,
                 .nic_speed = 16,
                 .nic = "ConnectX-6",
                 .nic_gigabits = 200,
                 .nv_switches = 6,
                 .links_to_switches = dgx_a100_links},
                "8xA100"},
    PresetEntry{{"dgx-h100", "DGX H100: 8 H100, NVLink 4 through 4 NVSwitches, 8 NDR", dgx_h100_facts},
                {.name = "dgx-h100",
                 .gpu = "NVIDIA H100 80GB HBM3",
                 .compute_capability = 90,
                 .cpu = sapphire,
                 .groups = one_each,
                 .gpu_speed = 32,
                 .nic_speed = 32,
                 .nic = "ConnectX-7",
                 .nic_gigabits = 400,
                 .nv_switches = 4,
                 .links_to_switches = hopper_links},
                "8xH100"},
    PresetEntry{{"dgx-h200", "DGX H200: 8 H200, NVLink 4 through 4 NVSwitches, 8 NDR", dgx_h200_facts},
                {.name = "dgx-h200",
                 .gpu = "NVIDIA H200",
                 .compute_capability = 90,
                 .cpu = sapphire,
                 .groups = one_each,
                 .gpu_speed = 32,
                 .nic_speed = 32,
                 .nic = "ConnectX-7",
                 .nic_gigabits = 400,
                 .nv_switches = 4,
                 .links_to_switches = hopper_links},
                "8xH200"},
    PresetEntry{{"dgx-b200", "DGX B200: 8 B200, NVLink 5 through 2 NVSwitches, 8 NDR", dgx_b200_facts},
                {.name = "dgx-b200",
                 .gpu = "NVIDIA B200",
                 .compute_capability = 100,
                 .cpu = emerald,
                 .groups = one_each,
                 .gpu_speed = 32,
                 .nic_speed = 32,
                 .nic = "ConnectX-7",
                 .nic_gigabits = 400,
                 .nv_switches = 2,
                 .links_to_switches = blackwell_links},
                "8xB200"},
    PresetEntry{{"8xB200-800", "8 B200 with adapters of 800 Gbit/s on PCI 6", b200_800_facts},
                {.name = "8xB200-800",
                 .gpu = "NVIDIA B200",
                 .compute_capability = 100,
                 .cpu = emerald,
                 .groups = one_each,
                 .gpu_speed = 32,
                 .nic_speed = 64,
                 .nic = "ConnectX-8",
                 .nic_gigabits = 800,
                 .nv_switches = 2,
                 .links_to_switches = blackwell_links}},
    PresetEntry{{"gb200-nvl72", "GB200 NVL72: 72 GPUs in 18 trays, one domain of NVLink 5, 72 NDR", gb200_facts},
                {.name = "gb200-nvl72",
                 .gpu = "NVIDIA GB200",
                 .compute_capability = 100,
                 .cpu = grace,
                 .groups = gb200_groups,
                 .gpu_speed = 32,
                 .nic_speed = 32,
                 .nic = "ConnectX-7",
                 .nic_gigabits = 400,
                 .nv_switches = 18,
                 .links_to_switches = gb200_links,
                 .hosts = 18,
                 .chip_link = 44.712,
                 .chip_links = 5}},
    PresetEntry{{"4xA100-PCIe", "4 A100 PCIe on two sockets, no NVLink", a100_pcie_facts},
                {.name = "4xA100-PCIe",
                 .gpu = "NVIDIA A100 80GB PCIe",
                 .compute_capability = 80,
                 .cpu = ice_lake,
                 .groups = pcie_four,
                 .gpu_speed = 16,
                 .nic_speed = 16,
                 .nic = "ConnectX-6",
                 .nic_gigabits = 200}},
    PresetEntry{{"4xA100-PCIe-bridged", "4 A100 PCIe on two sockets, pairs with NVLink bridges", a100_bridged_facts},
                {.name = "4xA100-PCIe-bridged",
                 .gpu = "NVIDIA A100 80GB PCIe",
                 .compute_capability = 80,
                 .cpu = ice_lake,
                 .groups = pcie_four,
                 .gpu_speed = 16,
                 .nic_speed = 16,
                 .nic = "ConnectX-6",
                 .nic_gigabits = 200,
                 .pairs = bridges}},
    PresetEntry{{"8xL40S", "8 L40S below two PCI switches, 4 adapters", l40s_facts},
                {.name = "8xL40S",
                 .gpu = "NVIDIA L40S",
                 .compute_capability = 89,
                 .cpu = sapphire,
                 .groups = two_switches,
                 .gpu_speed = 16,
                 .nic_speed = 32,
                 .nic = "ConnectX-7",
                 .nic_gigabits = 200,
                 .nic_layer = "Ethernet"}},
    PresetEntry{{"8xRTX4090", "8 RTX 4090 on the root ports of two sockets", rtx4090_facts},
                {.name = "8xRTX4090",
                 .gpu = "NVIDIA GeForce RTX 4090",
                 .compute_capability = 89,
                 .cpu = milan,
                 .groups = eight_ports,
                 .gpu_speed = 16,
                 .nic_speed = 16,
                 .nic = "ConnectX-6 Dx",
                 .nic_gigabits = 100,
                 .nic_layer = "Ethernet"},
                "8x4090"},
    PresetEntry{{"4xV100-PCIe", "two-socket box with 4 V100 on PCI 3", v100_pcie_facts},
                {.name = "4xV100-PCIe",
                 .gpu = "Tesla V100-PCIE-32GB",
                 .compute_capability = 70,
                 .cpu = gold,
                 .groups = pcie_four,
                 .gpu_speed = 8,
                 .nic_speed = 8,
                 .nic = "ConnectX-5",
                 .nic_gigabits = 100}},
    PresetEntry{{"8xA40-PCIe", "two-socket box with 8 A40 below switches on two levels, PCI 4", a40_facts},
                {.name = "8xA40-PCIe",
                 .gpu = "NVIDIA A40",
                 .compute_capability = 86,
                 .cpu = ice_lake,
                 .groups = paired_switches,
                 .gpu_speed = 16,
                 .nic_speed = 16,
                 .nic = "ConnectX-6",
                 .nic_gigabits = 200}},
};

}  // namespace

std::span<const PresetEntry> preset_list() { return machines; }

}  // namespace tutti
