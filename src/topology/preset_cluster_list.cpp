#include "topology/preset_cluster_list.hpp"

#include <array>

namespace tutti {

namespace {

constexpr double infiniband = 1.0;  // microseconds from adapter to adapter; see the facts below
constexpr double roce = 1.3;
constexpr double sockets = 15;

constexpr SourcedFact infiniband_latency{
    "1.0 us from adapter to adapter", "assumed: ib_write_lat of ConnectX-6 and 7 is published between 0.8 and 1.1 us"};
constexpr SourcedFact roce_latency{"1.3 us from adapter to adapter", "assumed: InfiniBand's, and some for Ethernet"};
constexpr SourcedFact ethernet_switch{"0.6 us through an Ethernet switch",
                                      "assumed: 0.4 to 0.8 us by data sheets of 25.6 and 51.2 Tbit/s switches"};

constexpr std::array hdr_tiers{PresetTier{"leaf", 20, 1, 0.13}, PresetTier{"spine", 140, 1, 0.13}};
constexpr std::array hdr_facts{
    SourcedFact{
        "rails of 20 nodes a leaf, 7 leaves a rail below the spine, no oversubscription",
        "NVIDIA DGX SuperPOD with DGX A100 reference architecture RA-09950: scalable units of 20 nodes, 140 in all"},
    SourcedFact{"0.13 us through a switch", "NVIDIA QM8700 product brief: below 130 ns"},
    SourcedFact{"25 GB/s a rail", "HDR: see tutti topology --links"}, infiniband_latency};

constexpr std::array ndr_tiers{PresetTier{"leaf", 32, 1, 0.2}, PresetTier{"spine", 128, 1, 0.2},
                               PresetTier{"core", 2048, 1, 0.2}};
constexpr SourcedFact ndr_pod{
    "rails of 32 nodes a leaf, 4 leaves a rail below the spine, no oversubscription",
    "NVIDIA DGX SuperPOD with DGX H100 reference architecture RA-11333: scalable units of 32 nodes"};
constexpr SourcedFact ndr_rail{"50 GB/s a rail", "NDR: see tutti topology --links"};
constexpr SourcedFact ndr_switch{"0.2 us through a switch", "assumed: QM8700's 0.13 us and forward error correction"};
constexpr std::array ndr_facts{ndr_pod, ndr_rail, ndr_switch, infiniband_latency};

constexpr std::array big_tiers{PresetTier{"leaf", 32, 1, 0.2}, PresetTier{"spine", 1024, 1, 0.2},
                               PresetTier{"core", 16384, 1, 0.2}};
constexpr std::array big_facts{
    SourcedFact{
        "16,384 nodes of 8 H100; each rail a fat tree of three tiers of switches with 64 ports, no oversubscription",
        "assumed: 32 nodes a leaf and 32 leaves a pod are what 64 ports give; 3 tiers hold up to 65,536 ports a rail"},
    ndr_rail, ndr_switch, infiniband_latency};

constexpr std::array xdr_tiers{PresetTier{"leaf", 72, 1, 0.2}, PresetTier{"spine", 5184, 1, 0.2}};
constexpr std::array xdr_facts{
    SourcedFact{"rails of 72 nodes a leaf below one spine, no oversubscription",
                "NVIDIA Quantum-X800 Q3400 data sheet: 144 ports of 800 Gbit/s, half of them down"},
    SourcedFact{"100 GB/s a rail", "XDR: see tutti topology --links"}, ndr_switch, infiniband_latency};

constexpr std::array roce_tiers{PresetTier{"leaf", 32, 1, 0.6}, PresetTier{"spine", 1024, 1, 0.6}};
constexpr SourcedFact roce_fabric{"rails of 32 nodes a leaf, 32 leaves a rail below the spine, no oversubscription",
                                  "assumed: what switches of 64 ports give"};
constexpr std::array roce100_facts{roce_fabric, SourcedFact{"12.5 GB/s a rail", "100 GbE: see tutti topology --links"},
                                   ethernet_switch, roce_latency};
constexpr std::array roce200_facts{roce_fabric, SourcedFact{"25 GB/s a rail", "200 GbE: see tutti topology --links"},
                                   ethernet_switch, roce_latency};
constexpr std::array roce400_facts{roce_fabric, SourcedFact{"50 GB/s a rail", "400 GbE: see tutti topology --links"},
                                   ethernet_switch, roce_latency};
constexpr std::array roce800_facts{roce_fabric, SourcedFact{"100 GB/s a rail", "800 GbE: see tutti topology --links"},
                                   ethernet_switch, roce_latency};

constexpr std::array office_tiers{PresetTier{"leaf", 16, 2, 0.6}, PresetTier{"spine", 256, 1, 0.6}};
constexpr std::array gbe_facts{
    SourcedFact{"one adapter of 100 GbE and TCP: 15 us from process to process", "assumed: usual figures of sockets"},
    SourcedFact{"16 nodes a leaf, two to one above", "assumed: a fabric for general use"}, ethernet_switch};

constexpr std::array llama_tiers{PresetTier{"rack", 2, 1, 0.6}, PresetTier{"pod", 384, 7, 0.6},
                                 PresetTier{"aggregation", 3072, 1, 0.6}};
constexpr std::array llama_facts{
    SourcedFact{"racks of 2 servers with 8 H100, pods of 192 racks, 8 pods, 1:7 above the pods, RoCE of 400 Gbit/s",
                "The Llama 3 Herd of Models, arXiv 2407.21783, section 3.3.1"},
    ethernet_switch, roce_latency};

constexpr std::array clusters{
    PresetCluster{{"8xA100-hdr", "2 nodes of 8 A100 on InfiniBand HDR, 8 rails", hdr_facts},
                  "dgx-a100",
                  2,
                  "HDR",
                  25,
                  infiniband,
                  8,
                  RailWiring::optimised,
                  hdr_tiers},
    PresetCluster{{"8xH100-ndr", "2 nodes of 8 H100 on InfiniBand NDR, 8 rails", ndr_facts},
                  "dgx-h100",
                  2,
                  "NDR",
                  50,
                  infiniband,
                  8,
                  RailWiring::optimised,
                  ndr_tiers},
    PresetCluster{{"8xB200-xdr", "2 nodes of 8 B200 on InfiniBand XDR, 8 rails", xdr_facts},
                  "8xB200-800",
                  2,
                  "XDR",
                  100,
                  infiniband,
                  8,
                  RailWiring::optimised,
                  xdr_tiers},
    PresetCluster{{"8xV100-roce100", "2 nodes of 8 V100 on RoCE 100, 4 rails", roce100_facts},
                  "dgx-1-v100",
                  2,
                  "RoCE 100",
                  12.5,
                  roce,
                  4,
                  RailWiring::optimised,
                  roce_tiers},
    PresetCluster{{"8xA100-roce200", "2 nodes of 8 A100 on RoCE 200, 8 rails", roce200_facts},
                  "dgx-a100",
                  2,
                  "RoCE 200",
                  25,
                  roce,
                  8,
                  RailWiring::optimised,
                  roce_tiers},
    PresetCluster{{"8xH100-roce400", "2 nodes of 8 H100 on RoCE 400, 8 rails", roce400_facts},
                  "dgx-h100",
                  2,
                  "RoCE 400",
                  50,
                  roce,
                  8,
                  RailWiring::optimised,
                  roce_tiers},
    PresetCluster{{"8xB200-roce800", "2 nodes of 8 B200 on RoCE 800, 8 rails", roce800_facts},
                  "8xB200-800",
                  2,
                  "RoCE 800",
                  100,
                  roce,
                  8,
                  RailWiring::optimised,
                  roce_tiers},
    PresetCluster{{"4xA100-100gbe", "2 nodes of 4 A100 PCIe on 100 GbE and TCP", gbe_facts},
                  "4xA100-PCIe",
                  2,
                  "100 GbE",
                  12.5,
                  sockets,
                  1,
                  RailWiring::shared,
                  office_tiers},
    PresetCluster{{"superpod-1024", "128 nodes of 8 H100 on NDR, rail-optimised leaf and spine: 1,024 GPUs", ndr_facts},
                  "dgx-h100",
                  128,
                  "NDR",
                  50,
                  infiniband,
                  8,
                  RailWiring::optimised,
                  ndr_tiers},
    PresetCluster{{"llama3-24576", "3,072 nodes of 8 H100 on RoCE 400, 1:7 between pods: 24,576 GPUs", llama_facts},
                  "dgx-h100",
                  3072,
                  "RoCE 400",
                  50,
                  roce,
                  8,
                  RailWiring::shared,
                  llama_tiers},
    PresetCluster{
        {"superpod-131072", "16,384 nodes of 8 H100 on NDR, rail-optimised, three tiers: 131,072 GPUs", big_facts},
        "dgx-h100",
        16384,
        "NDR",
        50,
        infiniband,
        8,
        RailWiring::optimised,
        big_tiers},
};

}  // namespace

std::span<const PresetCluster> preset_cluster_list() { return clusters; }

}  // namespace tutti
