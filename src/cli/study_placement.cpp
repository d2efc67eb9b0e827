#include "cli/study_placement.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace tutti::cli {

double ring_us(const RingPlacement& ring, const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> up(static_cast<std::size_t>((ring.nodes + ring.leaf - 1) / ring.leaf), 0);
  std::int64_t crossing = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t from = order[i] / ring.leaf;
    const std::int64_t to = order[(i + 1) % order.size()] / ring.leaf;
    if (from == to) continue;
    ++crossing;
    ++up[static_cast<std::size_t>(from)];
  }
  const double latency =
      2 * (static_cast<double>(order.size()) * ring.hop_us + static_cast<double>(crossing) * ring.spine_us);
  // A leaf's uplinks together carry leaf/oversubscription flows at full rate.
  const auto busiest = static_cast<double>(*std::max_element(up.begin(), up.end()));
  const double slower = std::max(1.0, busiest * ring.oversubscription / static_cast<double>(ring.leaf));
  return latency + ring.transfer_us * slower;
}

PlacementStudy study_placement(const RingPlacement& ring, int orders, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(ring.nodes));
  std::iota(order.begin(), order.end(), 0);
  PlacementStudy study;
  study.ordered_us = ring_us(ring, order);
  std::vector<double> saved;
  std::mt19937_64 random(seed);
  for (int i = 0; i < orders; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    saved.push_back(1 - study.ordered_us / ring_us(ring, order));
  }
  std::sort(saved.begin(), saved.end());
  study.least = saved.front();
  study.median = saved[saved.size() / 2];
  study.most = saved.back();
  return study;
}

}  // namespace tutti::cli
