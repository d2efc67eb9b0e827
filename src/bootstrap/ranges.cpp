#include "bootstrap/ranges.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace tutti {

std::string name_ranks(const std::vector<int>& ranks) {
  constexpr int most = 20;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  int ranges = 0;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (first > 0) text += ", ";
    if (ranges++ == most) return text + fmt::format("and {} more", ranks.size() - first);
    text += std::to_string(ranks[first]);
    // Two neighbours read better apart.
    if (last > first + 1) text += fmt::format("-{}", ranks[last]);
    first = last == first + 1 ? last : last + 1;
  }
  return text;
}

}  // namespace tutti
