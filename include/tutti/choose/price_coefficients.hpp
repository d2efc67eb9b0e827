/// @file  Coefficients: the physical numbers that prices are made of, one set for a GPU kind, a link and a transport.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tutti/choose/price_platform.hpp"

namespace tutti::choose {

/// How a kernel hands bytes on.
enum class GpuProtocol : std::uint8_t {
  ll,      ///< 4 bytes of data, 4 of flag: no fence, half the bandwidth
  ll128,   ///< 120 bytes of data, 8 of flag: needs a link that keeps 128 bytes together
  simple,  ///< data, then a fence and a flag: full bandwidth, slowest hop
};
inline constexpr int protocol_count = 3;
std::string_view name(GpuProtocol protocol) noexcept;

/// Microseconds of one hop, by protocol.
using HopTimes = std::array<double, protocol_count>;

struct GpuCoefficients {
  HopTimes nvlink_us{};               ///< a hop over NVLink: store, arrive, see, combine
  double link_efficiency = 0.8;       ///< of NVLink's data sheet, that a ring of large chunks reaches
  double ll_gbs = 80;                 ///< payload that all channels move with flags in line, a direction
  double ll128_gbs = 200;             ///< the same for LL128
  double multicast_us = 25;           ///< from the first load through the switch to the last multicast store
  double multicast_efficiency = 0.7;  ///< of the link, while the switch reduces
};

/// Links inside a machine that are not NVLink.
struct PcieCoefficients {
  HopTimes hop_us{};
  double efficiency = 0.8;
  double ll_share = 0.5;  ///< of that bandwidth, that LL keeps
};

struct TransportCoefficients {
  HopTimes hop_us{};              ///< GPU to GPU between machines, by proxy, adapter and one switch
  double efficiency = 0.9;        ///< of the line rate, that a ring reaches over several queue pairs
  double one_queue_pair = 0.85;   ///< what of it is left with one, when more than two machines share switches
  double tree_efficiency = 0.85;  ///< of the line rate, in a tree: several peers at once
  double multicast_us = 20;       ///< added to a multicast inside, for each way along a tree of machines
  bool ll = true;                 ///< protocols that it can carry
  bool ll128 = true;
};

struct Coefficients {
  double start_us = 4;   ///< kernel start and end, as seen by the next kernel of the stream
  double launch_us = 4;  ///< of the processor, for each GPU that one thread launches for
  /// What latency and transfer cost each other, times the square root of their product: 0, they only add; 2, a
  /// pipeline that is cut into chunks at its best. See docs/prices.md.
  double ring_overlap = 0.4;
  double far_ring_overlap = 0.1;  ///< between machines, where a proxy and its slots decouple the ends
  double tree_overlap = 0.65;
  double switch_overlap = 0.65;
  double switch_reduction_us = 30;  ///< in-network reduction: adapters, aggregation manager, tree of switches
  double switch_reduction_efficiency = 0.9;
  std::array<GpuCoefficients, gpu_kind_count> gpu{};
  std::array<PcieCoefficients, inner_link_count> pcie{};  ///< by InnerLink; nvlink's is not used
  std::array<TransportCoefficients, transport_count> transport{};

  GpuCoefficients& of(GpuKind kind) { return gpu[static_cast<std::size_t>(kind)]; }
  PcieCoefficients& of(InnerLink link) { return pcie[static_cast<std::size_t>(link)]; }
  TransportCoefficients& of(Transport kind) { return transport[static_cast<std::size_t>(kind)]; }
  const GpuCoefficients& of(GpuKind kind) const { return gpu[static_cast<std::size_t>(kind)]; }
  const PcieCoefficients& of(InnerLink link) const { return pcie[static_cast<std::size_t>(link)]; }
  const TransportCoefficients& of(Transport kind) const { return transport[static_cast<std::size_t>(kind)]; }
};

/// What others have published, before any fit of ours: where every fit begins, and what it is drawn back to.
Coefficients published_coefficients();

/// The ones shipped: docs/prices.md tells where each is from.
const Coefficients& shipped_coefficients();

/// Calls `visit(name, value, spread)` for every number that may be fitted; `spread` is the standard deviation of its
/// logarithm that is thought possible before any measurement.
void for_each_coefficient(Coefficients& coefficients,
                          const std::function<void(const std::string&, double&, double)>& visit);

}  // namespace tutti::choose
