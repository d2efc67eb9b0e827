#include "tutti/choose/price_coefficients.hpp"

namespace tutti::choose {

namespace {

/// Fitted by bench/validate_prices to published tables, from the constants of published_coefficients() on. What no table
/// tells is left as published.
Coefficients fitted() {
  Coefficients c = published_coefficients();
  c.start_us = 4.17;
  c.launch_us = 5.04;
  c.ring_overlap = 0.374;
  c.far_ring_overlap = 0.168;
  c.tree_overlap = 1.08;
  c.switch_overlap = 1.64;
  c.of(GpuKind::ampere) = {{1.35, 1.72, 3.56}, 0.768, 111, 189, 25, 0.7};
  c.of(GpuKind::hopper) = {{0.803, 0.920, 2.31}, 0.895, 33.3, 265, 21.5, 0.741};
  c.of(GpuKind::blackwell).multicast_us = 33.2;
  c.of(GpuKind::blackwell).multicast_efficiency = 0.520;
  c.of(InnerLink::pcie_peer) = {{1.46, 2.5, 2.55}, 0.786, 0.410};
  c.of(InnerLink::pcie_host) = {{1.79, 3, 9.3}, 0.643, 0.493};
  c.of(Transport::infiniband) = {{4.85, 22.7, 15.2}, 0.985, 0.853, 0.680, 8.33, true, true};
  c.of(Transport::roce) = {{19, 13.3, 17.6}, 0.92, 0.85, 0.816, 18, true, true};
  c.of(Transport::roce_cloud) = {{12, 20.4, 20.3}, 0.858, 0.85, 0.85, 20, false, true};
  c.of(Transport::efa) = {{28, 30, 29}, 0.888, 0.85, 0.852, 38.3, true, false};
  c.of(Transport::fastrak) = {{40, 36.5, 35}, 0.95, 0.85, 0.908, 40, false, true};
  return c;
}

}  // namespace

std::string_view name(GpuProtocol protocol) noexcept {
  switch (protocol) {
    case GpuProtocol::ll:
      return "LL";
    case GpuProtocol::ll128:
      return "LL128";
    case GpuProtocol::simple:
      return "Simple";
  }
  return "";
}

// Hops, LL rates and multicast: NCCL 2.30's own estimates, src/graph/tuning.cc, rounded, with its base latency spread
// over hops where it names one for a whole call. Efficiencies: its link table over data sheets (topo.h: 20.6 GB/s of
// 25 for an NVLink of Hopper, 20 of 25 for Ampere, 12 of 15.75 for PCIe 3 x16).
Coefficients published_coefficients() {
  Coefficients c;
  c.of(GpuKind::volta) = {{0.9, 1.9, 4.0}, 0.8, 39, 100, 25, 0.7};
  c.of(GpuKind::turing) = {{0.9, 1.9, 4.0}, 0.8, 39, 100, 25, 0.7};
  c.of(GpuKind::ampere) = {{1.0, 1.9, 3.4}, 0.8, 88, 220, 25, 0.7};
  c.of(GpuKind::ada) = {{0.7, 1.9, 3.4}, 0.8, 88, 220, 25, 0.7};
  c.of(GpuKind::hopper) = {{0.65, 1.2, 3.4}, 0.82, 141, 330, 25, 0.7};
  c.of(GpuKind::blackwell) = {{0.6, 1.2, 3.4}, 0.82, 282, 600, 25, 0.7};
  c.of(GpuKind::blackwell_rtx) = {{0.6, 1.2, 3.4}, 0.82, 141, 300, 25, 0.7};
  c.of(GpuKind::cdna3) = {{1.0, 1.9, 4.0}, 0.8, 88, 220, 25, 0.7};
  c.of(InnerLink::nvlink) = {{1, 2, 4}, 0.8, 0.5};
  c.of(InnerLink::pcie_peer) = {{1.3, 2.5, 5.7}, 0.8, 0.4};
  c.of(InnerLink::pcie_host) = {{2.5, 3, 12}, 0.75, 0.4};
  c.of(Transport::infiniband) = {{5, 8.5, 14}, 0.95, 0.85, 0.85, 18, true, true};
  c.of(Transport::roce) = {{6, 10, 16}, 0.92, 0.85, 0.85, 18, true, true};
  c.of(Transport::roce_cloud) = {{12, 20, 25}, 0.9, 0.85, 0.85, 20, false, true};
  c.of(Transport::efa) = {{25, 30, 35}, 0.9, 0.85, 0.85, 30, true, false};
  c.of(Transport::fastrak) = {{40, 45, 50}, 0.9, 0.85, 0.85, 40, false, true};
  return c;
}

const Coefficients& shipped_coefficients() {
  static const Coefficients coefficients = fitted();
  return coefficients;
}

void for_each_coefficient(Coefficients& c, const std::function<void(const std::string&, double&, double)>& visit) {
  visit("start_us", c.start_us, 0.3);
  visit("launch_us", c.launch_us, 0.3);
  visit("ring_overlap", c.ring_overlap, 0.3);
  visit("far_ring_overlap", c.far_ring_overlap, 1);
  visit("tree_overlap", c.tree_overlap, 0.3);
  visit("switch_overlap", c.switch_overlap, 0.3);
  const auto hops = [&](const std::string& of, HopTimes& times, double spread) {
    for (std::size_t p = 0; p < times.size(); ++p) {
      visit(of + "." + std::string(name(static_cast<GpuProtocol>(p))) + "_us", times[p], spread);
    }
  };
  for (int i = 0; i < gpu_kind_count; ++i) {
    const std::string kind(name(static_cast<GpuKind>(i)));
    GpuCoefficients& gpu = c.of(static_cast<GpuKind>(i));
    hops(kind, gpu.nvlink_us, 0.3);
    visit(kind + ".link_efficiency", gpu.link_efficiency, 0.1);
    visit(kind + ".ll_gbs", gpu.ll_gbs, 0.4);
    visit(kind + ".ll128_gbs", gpu.ll128_gbs, 0.3);
    visit(kind + ".multicast_us", gpu.multicast_us, 0.3);
    visit(kind + ".multicast_efficiency", gpu.multicast_efficiency, 0.1);
  }
  for (const InnerLink link : {InnerLink::pcie_peer, InnerLink::pcie_host}) {
    const std::string kind(name(link));
    PcieCoefficients& pcie = c.of(link);
    hops(kind, pcie.hop_us, 0.4);
    visit(kind + ".efficiency", pcie.efficiency, 0.2);
    visit(kind + ".ll_share", pcie.ll_share, 0.3);
  }
  for (int i = 0; i < transport_count; ++i) {
    const std::string kind(name(static_cast<Transport>(i)));
    TransportCoefficients& way = c.of(static_cast<Transport>(i));
    hops(kind, way.hop_us, 0.5);
    visit(kind + ".efficiency", way.efficiency, 0.05);
    visit(kind + ".one_queue_pair", way.one_queue_pair, 0.1);
    visit(kind + ".tree_efficiency", way.tree_efficiency, 0.1);
    visit(kind + ".multicast_us", way.multicast_us, 0.4);
  }
}

}  // namespace tutti::choose
