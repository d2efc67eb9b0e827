#include "topology/describe.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

namespace tutti {

std::string describe_bandwidth(const Quantity& bandwidth) {
  if (!bandwidth.known()) return {};
  const double rounded = std::round(bandwidth.value * 10) / 10;
  return fmt::format("{}{:g} GB/s", bandwidth.is_assumed() ? "~" : "", rounded);
}

std::string describe_lanes(const Link& link) {
  if (link.lanes.origin != Origin::read || link.speed.origin != Origin::read) return {};
  constexpr std::array generations{2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  for (std::size_t i = 0; i < generations.size(); ++i) {
    if (generations[i] == link.speed.value) return fmt::format("gen {} x{:g}", i + 1, link.lanes.value);
  }
  return fmt::format("{:g} GT/s x{:g}", link.speed.value, link.lanes.value);
}

std::vector<std::string> matrix_labels(const Topology& topology, const std::vector<int>& ids, const char* prefix) {
  std::set<int> numbers;
  for (const int id : ids) numbers.insert(topology.device(id).index);
  const bool numbered = numbers.size() == ids.size() && !numbers.contains(-1);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    labels.push_back(fmt::format("{}{}", prefix, numbered ? topology.device(ids[i]).index : static_cast<int>(i)));
  }
  return labels;
}

}  // namespace tutti
