/// @file  Platform: what prices need to know of the machines: how many, which GPUs, which links; a small value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::choose {

/// Kinds of GPU that have coefficients of their own; a kind is a generation and the board it sits on.
enum class GpuKind : std::uint8_t {
  volta,          ///< V100
  turing,         ///< RTX 20
  ampere,         ///< A100, A800
  ada,            ///< RTX 40, L40
  hopper,         ///< H100, H200, GH200
  blackwell,      ///< B200, GB200
  blackwell_rtx,  ///< RTX 50
  cdna3,          ///< MI300
};
inline constexpr int gpu_kind_count = 8;

/// How GPUs of one machine reach one another.
enum class InnerLink : std::uint8_t {
  nvlink,     ///< NVLink, switched or meshed; xGMI
  pcie_peer,  ///< PCIe, straight from GPU to GPU
  pcie_host,  ///< PCIe, by way of host memory
};
inline constexpr int inner_link_count = 3;

/// How machines reach one another.
enum class Transport : std::uint8_t {
  infiniband,
  roce,        ///< on machines and switches of one's own
  roce_cloud,  ///< rented, through a virtual function and the renter's plugin
  efa,         ///< AWS
  fastrak,     ///< GCP's TCPX and TCPXO
};
inline constexpr int transport_count = 5;

std::string_view name(GpuKind kind) noexcept;
std::string_view name(InnerLink link) noexcept;
std::string_view name(Transport transport) noexcept;

/// The kind of a GPU by what drivers, data sheets and people call it: "NVIDIA H100 80GB HBM3", "a100", "gfx942".
std::optional<GpuKind> gpu_kind_named(std::string_view model);

/// Machines that are alike, and the fabric between them. Rates are those of the data sheet, one direction.
struct Platform {
  std::string name{};
  GpuKind gpu = GpuKind::hopper;
  int nodes = 1;
  int gpus = 8;  ///< of a node
  InnerLink inner = InnerLink::nvlink;
  double inner_gbs = 450;  ///< GB/s of one GPU to its peers in the machine, all its links together
  int uplink_sharers = 1;  ///< pcie_host: GPUs that reach host memory through one link
  bool multicast = false;  ///< the switch inside the machine reduces and multicasts (NVLink SHARP)
  Transport transport = Transport::infiniband;
  int rails = 8;         ///< adapters of a node
  double rail_gbs = 50;  ///< GB/s of one adapter
  double switch_us = 0;  ///< what the switches of the farthest way take, beyond one
  double oversubscription = 1;
  bool switch_reduces = false;   ///< the switches between machines reduce (SHARP), and are allowed to
  int queue_pairs = 1;           ///< for each connection
  bool adaptive_routing = true;  ///< flows that meet at a switch are spread over its links
  bool gpu_direct = true;        ///< adapters read and write GPU memory themselves
  int gpus_per_process = 1;      ///< that one thread launches for, one after the other

  int ranks() const { return nodes * gpus; }
  double network_gbs() const { return rails * rail_gbs; }
};

}  // namespace tutti::choose
