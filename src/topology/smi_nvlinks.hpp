/// @file  NVLinks of a matrix: straight between two GPUs, or through switches where that is the only way they fit.
#pragma once

#include <map>
#include <utility>

#include "tutti/topology/topology.hpp"

namespace tutti {

class SmiNvLinks {
 public:
  /// Adds to `parts`, which outlives this.
  explicit SmiNvLinks(TopologyParts& parts) : parts_(parts) {}

  /// A pair of GPUs reaches one another over `links` NVLinks; each pair once.
  void add(int a, int b, int links) { pairs_[{a, b}] = links; }

  /// Adds the links, and NVSwitches. No GPU has more than `most_links`: one that shows more, and as many to each
  /// other, has them to a switch, as all do that it reaches.
  void resolve();

  static constexpr int most_links = 18;

 private:
  TopologyParts& parts_;
  std::map<std::pair<int, int>, int> pairs_;
};

}  // namespace tutti
