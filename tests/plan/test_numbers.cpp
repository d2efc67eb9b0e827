/// @file  Every schedule, played on real numbers through its layout, gives what the collective is defined to give.
#include <numeric>

#include "catch.hpp"
#include "plan/families.hpp"
#include "plan/toy_executor.hpp"

namespace tutti::plan {
namespace {

/// A call: the counts in the way of its collective. For all_to_all_v, counts[s * n + d] go from s to d.
struct Call {
  Schedule schedule{};
  std::size_t count = 0;
  std::vector<std::size_t> counts{};
  bool in_place = false;
};

Number given(int rank, std::size_t element) { return 1000 * (rank + 1) + static_cast<Number>(element); }

std::size_t sum(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::vector<std::size_t> sent_counts(const Call& call, int rank) {
  const auto n = static_cast<std::ptrdiff_t>(call.schedule.size);
  return {call.counts.begin() + rank * n, call.counts.begin() + (rank + 1) * n};
}
std::vector<std::size_t> received_counts(const Call& call, int rank) {
  std::vector<std::size_t> counts;
  for (int peer = 0; peer < call.schedule.size; ++peer) {
    counts.push_back(call.counts[static_cast<std::size_t>(peer * call.schedule.size + rank)]);
  }
  return counts;
}

struct Sizes {
  std::size_t in = 0;
  std::size_t out = 0;
  std::size_t shift = 0;  ///< in place: how much later the shorter of the two begins
};

Sizes sizes(const Call& call, int rank) {
  const auto n = static_cast<std::size_t>(call.schedule.size);
  const auto r = static_cast<std::size_t>(rank);
  const std::size_t all = call.count * n;
  const bool root = rank == call.schedule.root;
  switch (call.schedule.collective) {
    case Collective::barrier:
      return {1, 1};
    case Collective::reduce:
      return {call.count, root ? call.count : 0};
    case Collective::broadcast:
      return {root ? call.count : 0, call.count};
    case Collective::reduce_scatter:
      return {all, call.count, r * call.count};
    case Collective::all_gather:
      return {call.count, all, r * call.count};
    case Collective::gather:
      return {call.count, root ? all : 0, root ? r * call.count : 0};
    case Collective::scatter:
      return {root ? all : 0, call.count, root ? r * call.count : 0};
    case Collective::all_to_all:
      return {all, all};
    case Collective::reduce_scatter_v:
    case Collective::all_gather_v: {
      const std::size_t before = std::accumulate(call.counts.begin(), call.counts.begin() + rank, std::size_t{0});
      const bool scatters = call.schedule.collective == Collective::reduce_scatter_v;
      return {scatters ? sum(call.counts) : call.counts[r], scatters ? call.counts[r] : sum(call.counts), before};
    }
    case Collective::all_to_all_v:
      return {sum(sent_counts(call, rank)), sum(received_counts(call, rank))};
    default:
      return {call.count, call.count};
  }
}

Layout layout_of(const Call& call, int rank) {
  const std::size_t element_size = call.schedule.collective == Collective::barrier ? 0 : sizeof(Number);
  if (call.schedule.collective == Collective::all_to_all_v) {
    return {call.schedule, rank, 0, element_size, sent_counts(call, rank), received_counts(call, rank)};
  }
  return {call.schedule, rank, call.count, element_size, call.counts};
}

Toy toy_of(const Call& call, int rank) {
  const Sizes size = sizes(call, rank);
  Toy toy{.layout = layout_of(call, rank)};
  toy.output_size = size.out;
  if (call.in_place) {
    toy.memory.assign(std::max(size.in, size.out), -1);
    (size.in < size.out ? toy.input_at : toy.output_at) = size.shift;
    // One of the two may be missing altogether.
    if (size.in == 0) toy.input_at = 0;
    if (size.out == 0) toy.output_at = 0;
  } else {
    toy.memory.assign(size.in + size.out, -1);
    toy.output_at = size.in;
  }
  for (std::size_t i = 0; i < size.in; ++i) toy.memory.at(toy.input_at + i) = given(rank, i);
  toy.scratch.assign(toy.layout.scratch_elements(), -1);
  return toy;
}

Number whole_sum(int ranks, std::size_t element) {
  Number result = 0;
  for (int rank = 0; rank < ranks; ++rank) result += prepared(given(rank, element), rank);
  return finished(result);
}

/// What the definition says that `rank` gets.
Numbers expected(const Call& call, int rank) {
  const int n = call.schedule.size;
  const auto r = static_cast<std::size_t>(rank);
  Numbers out;
  const auto copy = [&](int from, std::size_t begin, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out.push_back(given(from, begin + i));
  };
  const auto add_up = [&](std::size_t begin, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out.push_back(whole_sum(n, begin + i));
  };
  switch (call.schedule.collective) {
    case Collective::all_reduce:
      add_up(0, call.count);
      break;
    case Collective::reduce:
      if (rank == call.schedule.root) add_up(0, call.count);
      break;
    case Collective::broadcast:
      copy(call.schedule.root, 0, call.count);
      break;
    case Collective::reduce_scatter:
      add_up(r * call.count, call.count);
      break;
    case Collective::reduce_scatter_v:
      add_up(sizes(call, rank).shift, call.counts[r]);
      break;
    case Collective::all_gather:
      for (int from = 0; from < n; ++from) copy(from, 0, call.count);
      break;
    case Collective::all_gather_v:
      for (int from = 0; from < n; ++from) copy(from, 0, call.counts[static_cast<std::size_t>(from)]);
      break;
    case Collective::gather:
      for (int from = 0; rank == call.schedule.root && from < n; ++from) copy(from, 0, call.count);
      break;
    case Collective::scatter:
      copy(call.schedule.root, r * call.count, call.count);
      break;
    case Collective::all_to_all:
      for (int from = 0; from < n; ++from) copy(from, r * call.count, call.count);
      break;
    case Collective::all_to_all_v:
      for (int from = 0; from < n; ++from) {
        const std::vector<std::size_t> sent = sent_counts(call, from);
        copy(from, std::accumulate(sent.begin(), sent.begin() + rank, std::size_t{0}), sent[r]);
      }
      break;
    case Collective::barrier:
    case Collective::send:
    case Collective::recv:
      break;
  }
  return out;
}

void play(const Call& call, std::size_t chunk) {
  const Schedule& schedule = call.schedule;
  INFO(described(schedule) << ", count " << call.count << ", chunk " << chunk << (call.in_place ? ", in place" : ""));
  std::vector<Toy> toys;
  for (int rank = 0; rank < schedule.size; ++rank) toys.push_back(toy_of(call, rank));
  ToyExecutor executor(schedule, toys, chunk, static_cast<std::size_t>(least_slots(schedule)));
  REQUIRE(executor.run());
  CHECK(executor.longest_message() <= chunk * static_cast<std::size_t>(blocks_per_step(schedule)));
  if (schedule.collective == Collective::barrier) return;
  for (int rank = 0; rank < schedule.size; ++rank) {
    INFO("rank " << rank);
    CHECK(toys[static_cast<std::size_t>(rank)].output() == expected(call, rank));
  }
}

void play_all(const Call& call) {
  for (const std::size_t chunk : {std::size_t{1000}, std::size_t{8}, std::size_t{3}}) {
    if (call.schedule.window && chunk != 1000) continue;  // a window is one round
    play(call, chunk);
  }
}

bool is_uneven(Collective collective) {
  return collective == Collective::all_gather_v || collective == Collective::reduce_scatter_v ||
         collective == Collective::all_to_all_v;
}

TEST_CASE("every schedule gives what its collective is defined to give, for odd counts, in place and not") {
  for (Schedule schedule : families()) {
    if (is_pairwise(schedule.collective) || is_uneven(schedule.collective)) continue;
    for (const int size : {1, 2, 3, 4, 5, 7, 8, 9}) {
      schedule.size = size;
      for (const int root : roots(schedule)) {
        schedule.root = root;
        for (const bool in_place : {false, true}) {
          if (in_place && !works_in_place(schedule)) continue;
          for (const std::size_t count : {0, 1, 7, 8, 9, 67}) play_all({schedule, count, {}, in_place});
        }
      }
    }
  }
}

TEST_CASE("uneven schedules move what each rank's count says, none included") {
  for (Schedule schedule : families()) {
    if (!is_uneven(schedule.collective)) continue;
    for (const int size : {1, 2, 3, 4, 6, 7}) {
      schedule.size = size;
      const bool pairs = schedule.collective == Collective::all_to_all_v;
      for (const unsigned seed : {1U, 2U, 3U}) {
        std::vector<std::size_t> counts;
        for (int i = 0; i < (pairs ? size * size : size); ++i) {
          counts.push_back((static_cast<unsigned>(i) * 7 + seed * 5) % 11 * (seed % 3));
        }
        play_all({schedule, 0, counts, false});
        if (works_in_place(schedule)) play_all({schedule, 0, counts, true});
      }
    }
  }
}

}  // namespace
}  // namespace tutti::plan
