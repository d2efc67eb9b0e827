#include "cli/bench_collective.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tutti::bench {

namespace {

constexpr std::array measured = {Collective::all_reduce,       Collective::reduce_scatter, Collective::all_gather,
                                 Collective::reduce,           Collective::broadcast,      Collective::all_to_all,
                                 Collective::gather,           Collective::scatter,        Collective::all_gather_v,
                                 Collective::reduce_scatter_v, Collective::all_to_all_v,   Collective::send,
                                 Collective::barrier};

/// Parts of uneven lengths: 1, 2 and 3 shares in turn.
std::size_t weight(int rank) { return static_cast<std::size_t>(1 + rank % 3); }

/// Part r begins where the shares of the ranks before it end; so the parts add up to the total.
std::size_t uneven_begin(std::size_t total, int rank, int ranks) {
  const auto shares_before = [](int end) {
    std::size_t sum = 0;
    for (int r = 0; r < end; ++r) sum += weight(r);
    return sum;
  };
  const std::size_t shares = shares_before(ranks);
  const std::size_t before = shares_before(rank);
  return total / shares * before + total % shares * before / shares;
}

std::size_t sum(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

}  // namespace

std::vector<std::string_view> collective_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(measured));
  for (const Collective collective : measured) names.push_back(bench_name(collective));
  return names;
}

std::optional<Collective> bench_collective_named(std::string_view text) {
  for (const Collective collective : measured)
    if (bench_name(collective) == text) return collective;
  return std::nullopt;
}

std::string_view bench_name(Collective collective) {
  return collective == Collective::send ? std::string_view("sendrecv") : name(collective);
}

bool works_in_place(Collective collective) {
  return collective != Collective::all_to_all_v && collective != Collective::send && collective != Collective::barrier;
}

bool is_uneven(Collective collective) {
  return collective == Collective::all_gather_v || collective == Collective::reduce_scatter_v ||
         collective == Collective::all_to_all_v;
}

std::size_t uneven_count(std::size_t total, int from, int to, int ranks) {
  std::size_t most = 1;  // shares of the ranks that send the most
  for (int first = 0; first < std::min(3, ranks); ++first) {
    std::size_t shares = 0;
    for (int r = 0; r < ranks; ++r) shares += weight(first + r);
    most = std::max(most, shares);
  }
  return total / most * weight(from + to) + total % most * weight(from + to) / most;
}

Extent extent_of(Collective collective, std::size_t bytes, std::size_t element_size, int rank, int ranks, int root) {
  const std::size_t elements = bytes / element_size;
  const auto n = static_cast<std::size_t>(ranks);
  const auto self = static_cast<std::size_t>(rank);
  const std::size_t part = elements / n;
  const bool is_root = rank == root;
  Extent extent;
  switch (collective) {
    case Collective::all_reduce:
    case Collective::send:
      extent = {.count = elements, .in = elements, .out = elements};
      break;
    case Collective::reduce:
      extent = {.count = elements, .in = elements, .out = is_root ? elements : 0};
      break;
    case Collective::broadcast:
      extent = {.count = elements, .in = is_root ? elements : 0, .out = elements};
      break;
    case Collective::all_gather:
      extent = {.size = part * n, .count = part, .in = part, .out = part * n};
      break;
    case Collective::reduce_scatter:
      extent = {.size = part * n, .count = part, .in = part * n, .out = part};
      break;
    case Collective::all_to_all:
      extent = {.size = part * n, .count = part, .in = part * n, .out = part * n};
      break;
    case Collective::gather:
      extent = {.size = part * n, .count = part, .in = part, .out = is_root ? part * n : 0};
      break;
    case Collective::scatter:
      extent = {.size = part * n, .count = part, .in = is_root ? part * n : 0, .out = part};
      break;
    case Collective::all_gather_v:
    case Collective::reduce_scatter_v: {
      for (int r = 0; r < ranks; ++r) {
        extent.counts.push_back(uneven_begin(elements, r + 1, ranks) - uneven_begin(elements, r, ranks));
      }
      extent.size = elements;
      extent.count = part;
      extent.part_begin = uneven_begin(elements, rank, ranks);
      const bool gathers = collective == Collective::all_gather_v;
      extent.in = gathers ? extent.counts[self] : elements;
      extent.out = gathers ? elements : extent.counts[self];
      break;
    }
    case Collective::all_to_all_v:
      for (int r = 0; r < ranks; ++r) extent.counts.push_back(uneven_count(elements, rank, r, ranks));
      extent.receive_counts = extent.counts;  // what is sent is symmetric
      extent.size = elements;
      extent.count = part;
      extent.in = extent.out = sum(extent.counts);
      break;
    default:
      return extent;  // a barrier has no data
  }
  if (extent.counts.empty() && extent.size > 0) extent.part_begin = self * extent.count;
  extent.size = (extent.size > 0 ? extent.size : extent.count) * element_size;
  return extent;
}

}  // namespace tutti::bench
