#include "conformance/definition.hpp"

#include <numeric>

namespace tutti::conformance {

namespace {

std::size_t total(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t before(const std::vector<std::size_t>& counts, int rank) {
  return std::accumulate(counts.begin(), counts.begin() + rank, std::size_t{0});
}

bool uneven(Collective collective) {
  return collective == Collective::all_gather_v || collective == Collective::reduce_scatter_v ||
         collective == Collective::all_to_all_v;
}

/// A block for each rank, or the tables of the uneven collectives: what each rank contributes or receives.
std::vector<std::size_t> blocks_of(const Case& c) {
  if (uneven(c.collective)) return counts_of(c, 0);
  return std::vector<std::size_t>(static_cast<std::size_t>(c.ranks), count_of(c));
}

std::vector<Source> everyone(const Case& c, std::size_t begin) {
  std::vector<Source> sources;
  for (int rank = 0; rank < c.ranks; ++rank) sources.push_back({rank, begin});
  return sources;
}

}  // namespace

std::vector<std::size_t> counts_of(const Case& c, int rank) {
  std::vector<std::size_t> counts;
  if (!uneven(c.collective)) return counts;
  const int from = c.collective == Collective::all_to_all_v ? rank : 0;
  for (int to = 0; to < c.ranks; ++to) counts.push_back(uneven_count(c, from, to));
  return counts;
}

std::vector<std::size_t> receive_counts_of(const Case& c, int rank) {
  std::vector<std::size_t> counts;
  if (c.collective != Collective::all_to_all_v) return counts;
  for (int from = 0; from < c.ranks; ++from) counts.push_back(uneven_count(c, from, rank));
  return counts;
}

std::size_t in_elements(const Case& c, int rank) {
  const bool root = rank == root_of(c);
  switch (c.collective) {
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::all_to_all:
      return total(blocks_of(c));
    case Collective::all_to_all_v:
      return total(counts_of(c, rank));
    case Collective::all_gather_v:
      return uneven_count(c, 0, rank);
    case Collective::broadcast:
      return root ? count_of(c) : 0;
    case Collective::scatter:
      return root ? total(blocks_of(c)) : 0;
    case Collective::barrier:
      return 0;
    default:
      return count_of(c);
  }
}

std::size_t out_elements(const Case& c, int rank) {
  std::size_t elements = 0;
  for (const Part& part : definition(c, rank)) elements += part.count;
  return elements;
}

std::size_t own_part_begin(const Case& c, int rank) {
  switch (c.collective) {
    case Collective::all_gather:
    case Collective::all_gather_v:
    case Collective::gather:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::scatter:
      return before(blocks_of(c), rank);
    default:
      return 0;
  }
}

std::vector<Part> definition(const Case& c, int rank) {
  const std::size_t count = count_of(c);
  const bool root = rank == root_of(c);
  std::vector<Part> parts;
  switch (c.collective) {
    case Collective::all_reduce:
      parts.push_back({0, count, everyone(c, 0)});
      break;
    case Collective::reduce:
      if (root) parts.push_back({0, count, everyone(c, 0)});
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      parts.push_back({0, blocks_of(c)[static_cast<std::size_t>(rank)], everyone(c, before(blocks_of(c), rank))});
      break;
    case Collective::broadcast:
      parts.push_back({0, count, {{root_of(c), 0}}});
      break;
    case Collective::scatter:
      parts.push_back({0, count, {{root_of(c), before(blocks_of(c), rank)}}});
      break;
    case Collective::gather:
    case Collective::all_gather:
    case Collective::all_gather_v:
      if (c.collective == Collective::gather && !root) break;
      for (int from = 0; from < c.ranks; ++from) {
        const std::vector<std::size_t> blocks = blocks_of(c);
        parts.push_back({before(blocks, from), blocks[static_cast<std::size_t>(from)], {{from, 0}}});
      }
      break;
    case Collective::all_to_all:
      for (int from = 0; from < c.ranks; ++from) {
        parts.push_back({before(blocks_of(c), from), count, {{from, before(blocks_of(c), rank)}}});
      }
      break;
    case Collective::all_to_all_v:
      for (int from = 0; from < c.ranks; ++from) {
        const std::vector<std::size_t> received = receive_counts_of(c, rank);
        parts.push_back({before(received, from),
                         received[static_cast<std::size_t>(from)],
                         {{from, before(counts_of(c, from), rank)}}});
      }
      break;
    case Collective::send:  // everybody sends to the right, and receives from the left
    case Collective::recv:
      parts.push_back({0, count, {{(rank + c.ranks - 1) % c.ranks, 0}}});
      break;
    case Collective::barrier:
      break;
  }
  return parts;
}

}  // namespace tutti::conformance
