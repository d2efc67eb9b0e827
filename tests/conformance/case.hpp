/// @file  Case: one call to try, every axis a value; what it is called, and whether there is such a call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/arithmetic.hpp"
#include "tutti/base/types.hpp"

namespace tutti::conformance {

/// Counts that end where something else begins: at the ranks, a cache line, a slot.
enum class Count : std::uint8_t {
  zero,
  one,
  two,
  three,
  ranks_less_one,
  ranks,
  ranks_and_one,
  seventeen,
  sixty_three,
  sixty_four,
  sixty_five,
  thousand,
  slot_less_one,
  slot,
  slot_and_one,
  several_slots,
};
inline constexpr int count_count = 16;

/// What stands around the call.
enum class Style : std::uint8_t {
  alone,
  outstanding,  ///< another call is begun after it and waited for before it
  grouped,      ///< with another call in a Group
};
inline constexpr int style_count = 3;

/// Where the buffers lie.
enum class Home : std::uint8_t { own, allocated };

enum class Root : std::uint8_t { first, middle, last };

struct Case {
  Collective collective = Collective::all_reduce;
  Algorithm algorithm = Algorithm::automatic;
  Protocol protocol = Protocol::automatic;
  int type = static_cast<int>(DataType::float32);
  Operator op = Operator::none;
  Count count = Count::one;
  int ranks = 1;
  bool in_place = false;
  Root root = Root::first;
  bool deterministic = false;
  Home home = Home::own;
  int misaligned = 0;  ///< elements between a line's beginning and each buffer's
  Style style = Style::alone;
  bool check_across_ranks = false;
  bool progress_thread = false;

  bool operator==(const Case&) const = default;
};

std::string describe(const Case& c);

/// Why the library refuses such a call, or why it makes no sense; nullptr: it must work.
const char* unsupported(const Case& c);

int root_of(const Case& c);
/// Elements, of the smaller side where sides differ.
std::size_t count_of(const Case& c);

/// For the uneven collectives: elements from rank `from` to rank `to`; where only one of them matters, `from` is 0.
std::size_t uneven_count(const Case& c, int from, int to);

}  // namespace tutti::conformance
