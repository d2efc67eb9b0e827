/// @file  docs/choice.md says what choose does: its crossovers, found by asking, stand in the row that is about them.
#include <fstream>
#include <functional>
#include <string>

#include "catch.hpp"
#include "choose/choose.hpp"
#include "tutti/base/units.hpp"

using namespace tutti;

namespace {

Facts host_facts(int ranks, bool one_process, bool has_segments) {
  return {.ranks = ranks,
          .one_process = one_process,
          .has_segments = has_segments,
          .packet_bytes = 1016,
          .fifo_bytes = 131072};
}

Decision chosen(Collective collective, std::size_t bytes, const Facts& facts) {
  Request request{.collective = collective, .type = DataType::uint8, .element_size = 1, .count = bytes};
  if (reduces(collective)) request.op.kind = Op::sum;
  return decide(request, facts);
}

/// The first number in [from, to] from which on `is` holds; it must hold from there to the end.
std::size_t first_with(std::size_t from, std::size_t to, const std::function<bool(std::size_t)>& is) {
  REQUIRE_FALSE(is(from));
  REQUIRE(is(to));
  std::size_t low = from, high = to;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (is(middle) ? high : low) = middle;
  }
  for (std::size_t probe = from; probe < to; probe += 1 + probe / 7) {  // one crossover, not several
    if (is(probe) != (probe >= high)) FAIL_CHECK("it changes more than once: at " << probe << ", too");
  }
  return high;
}

/// The line of the table that begins with this cell.
std::string row(const std::string& first_cell) {
  std::ifstream file(TUTTI_SOURCE_DIR "/docs/choice.md");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| " + first_cell)) return line;
  }
  FAIL("docs/choice.md has no row \"" << first_cell << '"');
  return {};
}

void check_row(const std::string& first_cell, const std::string& number) {
  const std::string line = row(first_cell);
  INFO(line << "\nshould say " << number);
  CHECK(line.find(number) != std::string::npos);
}

}  // namespace

TEST_CASE("docs/choice.md: the largest packet") {
  const Facts facts = host_facts(2, false, false);
  const auto is_fifo = [&](std::size_t bytes) {
    return chosen(Collective::all_gather, bytes, facts).protocol == Protocol::fifo;
  };
  check_row("packet or fifo", format_bytes(first_with(1, 1 << 20, is_fifo) - 1));
}

TEST_CASE("docs/choice.md: the largest one_shot all_reduce") {
  const Facts facts = host_facts(2, false, false);
  const auto is_two_shot = [&](std::size_t bytes) {
    return chosen(Collective::all_reduce, bytes, facts).algorithm == Algorithm::two_shot;
  };
  check_row("one_shot or two_shot all_reduce", format_bytes(first_with(1, 1 << 26, is_two_shot) - 1));
}

TEST_CASE("docs/choice.md: from where on windows pay, for threads and for processes") {
  for (const bool threads : {true, false}) {
    const Facts facts = host_facts(2, threads, !threads);
    const auto is_window = [&](std::size_t bytes) {
      return chosen(Collective::all_reduce, bytes, facts).protocol == Protocol::window;
    };
    check_row(threads ? "window, threads" : "window, processes", format_bytes(first_with(1, 1 << 26, is_window)));
  }
}

TEST_CASE("docs/choice.md: broadcast and reduce by bytes and by ranks") {
  for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
    const auto is_two_shot = [&](std::size_t bytes) {
      return chosen(collective, bytes, host_facts(3, false, false)).algorithm == Algorithm::two_shot;
    };
    check_row("broadcast and reduce", format_bytes(first_with(1, 1 << 26, is_two_shot)));
    const auto is_tree = [&](std::size_t ranks) {
      return chosen(collective, 64, host_facts(static_cast<int>(ranks), false, false)).algorithm == Algorithm::tree;
    };
    check_row("broadcast and reduce", std::to_string(first_with(2, 64, is_tree)) + " ranks on");
    CHECK(chosen(collective, 1 << 26, host_facts(2, false, false)).algorithm ==
          Algorithm::one_shot);  // from 3 ranks on
  }
}

TEST_CASE("docs/choice.md: from how many ranks on a barrier is a dissemination") {
  const auto is_bruck = [](std::size_t ranks) {
    return chosen(Collective::barrier, 1, host_facts(static_cast<int>(ranks), false, false)).algorithm ==
           Algorithm::bruck;
  };
  check_row("barrier", "below " + std::to_string(first_with(2, 64, is_bruck)) + " ranks");
}
