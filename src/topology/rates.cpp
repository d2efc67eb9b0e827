#include "topology/rates.hpp"

#include <array>
#include <cmath>
#include <string>

namespace tutti::rates {

// Reached NVLink, XGMI and socket numbers are those that NCCL 2.30 and RCCL plan with (src/graph/topo.h of
// each); they are what a transfer is seen to reach. Rated: NVLink 1 20 GB/s (P100 white paper), NVLink 2 to 4
// 25 GB/s (V100, A100 and H100 white papers: 300, 600, 900 GB/s both ways over 6, 12, 18 links), NVLink 5 50
// GB/s (GB200 data sheet: 1,800 over 18). GA102 bridges: 14.06 GB/s (GA102 white paper: 112.5 GB/s over 4,
// both ways).
Rate nvlink(int compute_capability) {
  if (compute_capability >= 100) return {40.1, 50};
  if (compute_capability >= 90) return {20.6, 25};
  if (compute_capability == 86) return {12, 14.0625};
  if (compute_capability >= 80) return {20, 25};
  if (compute_capability >= 70) return {20, 25};
  if (compute_capability >= 60) return {18, 20};
  return {20, 25};
}

// Rated: 16 lanes at 23, 25 or 32 Gbit/s (AMD CDNA 1 to 3 white papers: 92, 100 and 128 GB/s both ways).
Rate xgmi(std::string_view gfx) {
  if (gfx.starts_with("gfx")) gfx.remove_prefix(3);
  if (gfx == "90a" || gfx == "910") return {36, 50};
  if (gfx.starts_with("94") || gfx.starts_with("95")) return {48, 64};
  return {24, 46};
}

namespace {
struct Generation {
  double gigatransfers;
  double reached_per_lane;  ///< GB/s; what NCCL plans with
  double rated_per_lane;    ///< GB/s; transfers times line code (8b/10b, then 128b/130b, then flits)
};
constexpr std::array<Generation, 6> generations{{
    {2.5, 0.1875, 0.25},
    {5, 0.375, 0.5},
    {8, 0.75, 8.0 / 8 * 128 / 130},
    {16, 1.5, 16.0 / 8 * 128 / 130},
    {32, 3, 32.0 / 8 * 128 / 130},
    {64, 6, 64.0 / 8 * 236 / 256},
}};
}  // namespace

Rate pci(double gigatransfers, int lanes) {
  const Generation* best = generations.data();
  for (const Generation& generation : generations) {
    if (generation.gigatransfers <= gigatransfers + 0.01) best = &generation;
  }
  return {best->reached_per_lane * lanes, best->rated_per_lane * lanes};
}

PciLink pci_link_of(double rated) {
  PciLink best{2.5, 1};
  double nearest = 1e9;
  for (const int lanes : {16, 8, 4, 2, 1}) {
    for (const Generation& generation : generations) {
      const double off = std::abs(generation.rated_per_lane * lanes / rated - 1);
      if (off < nearest - 0.001) {  // 8b/10b and 128b/130b are told apart
        nearest = off;
        best = {generation.gigatransfers, lanes};
      }
    }
  }
  return best;
}

Rate socket(const HostFacts& host) {
  if (host.architecture.starts_with("ppc")) return {32, 64};
  if (host.architecture.starts_with("arm") || host.architecture == "aarch64") return {6, 6};
  if (host.cpu_vendor == "AuthenticAMD") return {16, 16};
  if (host.cpu_vendor == "GenuineIntel") {
    if (host.cpu_family == 6 && host.cpu_model_number >= 0xCF) return {40, 40};  // Emerald Rapids
    if (host.cpu_family == 6 && host.cpu_model_number >= 0x8F) return {22, 22};  // Sapphire Rapids
    if (host.cpu_family == 6 && host.cpu_model_number >= 0x55) return {10, 10};  // Skylake, Cascade Lake
    return {6, 6};
  }
  if (host.cpu_vendor == "CentaurHauls" || host.cpu_vendor == "  Shanghai  ") {
    return host.cpu_family == 7 && host.cpu_model_number == 0x5B ? Rate{9, 9} : Rate{6, 6};
  }
  return {local, local};
}

double latency(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::c2c:
      return 0.6;
    case LinkKind::pci:
      return 0.5;
    case LinkKind::socket:
      return 0.2;
    case LinkKind::network:
      return 1.0;
    case LinkKind::local:
    case LinkKind::peer:
      return 0.05;
  }
  return 0;
}

}  // namespace tutti::rates
