/// @file  Layouts: blocks cover what they should, once; pieces cover blocks; runs that may be moved as one are one.
#include <numeric>

#include "catch.hpp"
#include "plan/families.hpp"
#include "tutti/base/error.hpp"
#include "tutti/plan/layout.hpp"
#include "tutti/plan/program.hpp"

namespace tutti::plan {
namespace {

Schedule all_reduce_by(Algorithm algorithm, int size) { return {Collective::all_reduce, algorithm, false, size, 0}; }

TEST_CASE("parts of a vector follow one another, begin at whole lines, and only the last are short or empty") {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree, Algorithm::one_shot, Algorithm::two_shot}) {
    for (const int size : {1, 2, 3, 7, 64}) {
      for (const std::size_t element_size : {1, 2, 4, 8, 12, 16, 24, 32}) {
        for (const std::size_t count : {0, 1, 2, 15, 16, 17, 63, 100, 1001, 4096}) {
          const Schedule schedule = all_reduce_by(algorithm, size);
          const Layout layout(schedule, 0, count, element_size);
          std::size_t covered = 0;
          bool short_seen = false;
          for (int block = 0; block < blocks(schedule); ++block) {
            const std::size_t length = layout.length(Place::input, block);
            CHECK(layout.offset(Place::input, block) == covered);
            if (length > 0) CHECK(covered * element_size % 64 == 0);
            if (short_seen) CHECK(length == 0);
            short_seen = short_seen || length < layout.longest();
            CHECK(length <= layout.longest());
            covered += length;
          }
          CHECK(covered == count);
        }
      }
    }
  }
}

TEST_CASE("a block of a rank lies alone on its rank and in rank order where all are") {
  const Schedule gather{Collective::all_gather, Algorithm::ring, false, 5, 0};
  const Layout of_gather(gather, 3, 7, 4);
  CHECK(of_gather.offset(Place::input, 3) == 0);
  CHECK(of_gather.offset(Place::output, 4) == 28);
  const Schedule scatter{Collective::reduce_scatter, Algorithm::ring, false, 5, 0};
  const Layout of_scatter(scatter, 3, 7, 4);
  CHECK(of_scatter.offset(Place::output, 3) == 0);
  CHECK(of_scatter.offset(Place::input, 4) == 28);
  CHECK(of_scatter.length(Place::input, 4) == 7);
}

TEST_CASE("uneven blocks lie behind the ones before them, however long") {
  const std::vector<std::size_t> counts{3, 0, 11, 5};
  const Schedule gather{Collective::all_gather_v, Algorithm::ring, false, 4, 0};
  const Layout layout(gather, 2, 0, 4, counts);
  std::size_t begin = 0;
  for (int block = 0; block < 4; ++block) {
    CHECK(layout.offset(Place::output, block) == begin);
    CHECK(layout.length(Place::output, block) == counts[static_cast<std::size_t>(block)]);
    begin += counts[static_cast<std::size_t>(block)];
  }
  CHECK(layout.offset(Place::input, 2) == 0);
  CHECK(layout.longest() == 11);
}

TEST_CASE("what a rank sends to another has the same name and length on both, and lies in rank order") {
  const int n = 4;
  const Schedule exchange{Collective::all_to_all_v, Algorithm::one_shot, false, n, 0};
  const auto count = [](int from, int to) { return static_cast<std::size_t>(from * 5 + to * 3) % 7; };
  std::vector<Layout> layouts;
  for (int rank = 0; rank < n; ++rank) {
    std::vector<std::size_t> sent;
    std::vector<std::size_t> received;
    for (int peer = 0; peer < n; ++peer) {
      sent.push_back(count(rank, peer));
      received.push_back(count(peer, rank));
    }
    layouts.emplace_back(exchange, rank, 0, 4, sent, received);
  }
  for (int from = 0; from < n; ++from) {
    std::size_t begin = 0;
    for (int to = 0; to < n; ++to) {
      const int block = around(to - from, n);
      CHECK(layouts[static_cast<std::size_t>(from)].length(Place::input, block) == count(from, to));
      CHECK(layouts[static_cast<std::size_t>(to)].length(Place::output, block) == count(from, to));
      CHECK(layouts[static_cast<std::size_t>(from)].offset(Place::input, block) == begin);
      begin += count(from, to);
    }
  }
}

TEST_CASE("pieces cover each block once, in as many rounds as the longest needs") {
  for (const std::size_t count : {0, 1, 16, 17, 100, 333}) {
    for (const std::size_t chunk : {1, 7, 16, 400}) {
      const Schedule schedule = all_reduce_by(Algorithm::ring, 3);
      const Layout layout(schedule, 1, count, 4);
      for (int block = 0; block < 3; ++block) {
        std::size_t next = layout.offset(Place::output, block);
        for (std::size_t round = 0; round < rounds(layout, chunk); ++round) {
          const Piece found = piece(layout, Place::output, block, round, chunk);
          if (found.length == 0) continue;
          CHECK(found.offset == next);
          CHECK(found.length <= chunk);
          next += found.length;
        }
        CHECK(next == layout.offset(Place::output, block) + layout.length(Place::output, block));
      }
    }
  }
}

TEST_CASE("a barrier has one piece, of no bytes") {
  const Layout layout({Collective::barrier, Algorithm::bruck, false, 5, 0}, 2, 0, 0);
  CHECK(rounds(layout, 1) == 1);
  CHECK(piece(layout, Place::input, 0, 0, 1).length == 1);
}

/// Is it true, piece by piece, that the blocks of a step lie one behind the other?
bool lie_in_a_row(const Layout& layout, Place place, const Blocks& blocks, std::size_t chunk) {
  std::size_t next = 0;
  int block = blocks.first;
  for (int i = 0; i < blocks.count; ++i, block = blocks.after(block)) {
    const Piece found = piece(layout, place, block, 0, chunk);
    if (found.length == 0) continue;
    if (i > 0 && found.offset != next) return false;
    next = found.offset + found.length;
  }
  return true;
}

TEST_CASE("blocks said to be contiguous are, and absolute names that don't wrap always are") {
  for (Schedule schedule : families()) {
    for (schedule.size = fewest_ranks(schedule); schedule.size <= 9; ++schedule.size) {
      if (schedule.collective == Collective::all_to_all_v) continue;  // one block a step
      const std::vector<std::size_t> counts(static_cast<std::size_t>(schedule.size), 19);
      const bool uneven =
          schedule.collective == Collective::all_gather_v || schedule.collective == Collective::reduce_scatter_v;
      const Program program = program_of(schedule);
      for (int rank = 0; rank < schedule.size; ++rank) {
        const Layout layout(schedule, rank, 19, 4, uneven ? counts : std::vector<std::size_t>{});
        for (const auto& lane : program.steps[static_cast<std::size_t>(rank)]) {
          for (const Step& step : lane) {
            for (const Place place : {step.own, step.store}) {
              if (place == Place::none) continue;
              INFO(described(schedule) << ", rank " << rank);
              const bool said = layout.contiguous(place, step.blocks, 19);
              if (said) CHECK(lie_in_a_row(layout, place, step.blocks, 19));
              if (step.blocks.count > 1) CHECK_FALSE(layout.contiguous(place, step.blocks, 9));
              const bool simple =
                  schedule.collective != Collective::all_to_all &&
                  (step.blocks.circle == 0 || step.blocks.first + step.blocks.count <= step.blocks.circle);
              if (simple) CHECK(said);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("an uneven layout without its counts is refused") {
  const Schedule gather{Collective::all_gather_v, Algorithm::ring, false, 3, 0};
  CHECK_THROWS_AS(Layout(gather, 0, 5, 4), Error);
  const std::vector<std::size_t> counts{1, 2, 3};
  const Schedule exchange{Collective::all_to_all_v, Algorithm::one_shot, false, 3, 0};
  CHECK_THROWS_AS(Layout(exchange, 0, 5, 4, counts), Error);
}

}  // namespace
}  // namespace tutti::plan
