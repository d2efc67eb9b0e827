#include "cli/bench_check.hpp"

#include <atomic>
#include <cstring>
#include <numeric>

#include "cli/bench_device.hpp"
#include "cli/bench_pattern.hpp"

namespace tutti::bench {

namespace {

Pattern pattern_of(const Call& call, Place place, std::uint64_t seed) {
  return {.type = call.type, .op = call.op, .ranks = place.ranks, .seed = seed};
}

std::size_t sum_before(const std::vector<std::size_t>& counts, int rank) {
  return std::accumulate(counts.begin(), counts.begin() + rank, std::size_t{0});
}

/// Elements that rank `from` gives to rank `to` begin here in the input of `from`, in an uneven all-to-all.
std::size_t begin_in_sender(const Call& call, int from, int to, int ranks) {
  std::size_t begin = 0;
  for (int r = 0; r < to; ++r) begin += uneven_count(call.extent.size / size_of(call.type), from, r, ranks);
  return begin;
}

}  // namespace

void prepare(const Call& call, Place place, std::uint64_t seed) {
  if (call.memory == Memory::device) return DeviceCopy(call).prepare(place, seed);
  if (call.extent.out > 0) std::memset(call.out, 0xa5, call.out_bytes());
  if (call.extent.in == 0) return;
  lay(pattern_of(call, place, seed).contribution(place.rank), size_of(call.type), 0, call.extent.in, call.in);
}

void touch(const Call& call, Place place) {
  if (call.memory == Memory::device) return DeviceCopy(call).touch(place);
  std::uint64_t read = 0;
  for (std::size_t at = 0; at + sizeof read <= call.out_bytes(); at += sizeof read) {
    std::uint64_t word = 0;
    std::memcpy(&word, call.out + at, sizeof word);
    read += word;
  }
  static std::atomic<std::uint64_t> kept;  // somebody might look
  kept.store(read, std::memory_order_relaxed);
  if (call.extent.in == 0) return;
  lay(pattern_of(call, place, 0).contribution(place.rank), size_of(call.type), 0, call.extent.in, call.in);
}

std::size_t wrong_elements(const Call& call, Place place, std::uint64_t seed) {
  if (call.memory == Memory::device) return DeviceCopy(call).wrong_elements(place, seed);
  const Pattern pattern = pattern_of(call, place, seed);
  const std::size_t element = size_of(call.type);
  const auto wrong_from = [&](int source, std::size_t position, std::size_t begin, std::size_t count) {
    return count_wrong(pattern.contribution(source), element, position, count, call.out + begin * element);
  };
  const Extent& extent = call.extent;
  std::size_t wrong = 0;
  if (extent.out == 0) return 0;
  switch (call.collective) {
    case Collective::all_reduce:
    case Collective::reduce:
      return count_wrong(pattern.combination(), element, 0, extent.out, call.out);
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return count_wrong(pattern.combination(), element, extent.part_begin, extent.out, call.out);
    case Collective::broadcast:
      return wrong_from(call.root, 0, 0, extent.out);
    case Collective::scatter:
      return wrong_from(call.root, extent.part_begin, 0, extent.out);
    case Collective::send:
      return wrong_from((place.rank + place.ranks - 1) % place.ranks, 0, 0, extent.out);
    case Collective::all_gather:
    case Collective::gather:
    case Collective::all_to_all: {
      const std::size_t position = call.collective == Collective::all_to_all ? extent.part_begin : 0;
      for (int source = 0; source < place.ranks; ++source) {
        wrong += wrong_from(source, position, static_cast<std::size_t>(source) * extent.count, extent.count);
      }
      return wrong;
    }
    case Collective::all_gather_v:
      for (int source = 0; source < place.ranks; ++source) {
        wrong +=
            wrong_from(source, 0, sum_before(extent.counts, source), extent.counts[static_cast<std::size_t>(source)]);
      }
      return wrong;
    case Collective::all_to_all_v:
      for (int source = 0; source < place.ranks; ++source) {
        wrong += wrong_from(source, begin_in_sender(call, source, place.rank, place.ranks),
                            sum_before(extent.receive_counts, source),
                            extent.receive_counts[static_cast<std::size_t>(source)]);
      }
      return wrong;
    default:
      return 0;
  }
}

}  // namespace tutti::bench
