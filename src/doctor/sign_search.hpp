/// @file  SignSearch: the first cause whose sign a line bears, all signs looked for in one pass over the line.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "doctor/log_causes.hpp"

namespace tutti::doctor {

/// Finds what a loop over bears_sign() would, in time by the length of the line alone (Aho and Corasick, 1975).
class SignSearch {
 public:
  explicit SignSearch(std::span<const Cause> causes);

  /// Capitals count as small letters. Null when the line bears none. Any thread.
  const Cause* first(std::string_view line, bool nccl, bool warning) const;

 private:
  using Parts = std::vector<std::uint16_t>;  ///< numbers of parts of signs, ascending
  struct State {
    std::array<std::uint16_t, 128> next{};
    Parts ends{};  ///< what has just been read to its end
  };
  struct Signs {
    const Cause* cause = nullptr;
    std::vector<Parts> alternatives{};  ///< all parts of one must be there; none at all: any line
  };

  void join_states();

  std::vector<State> states_{1};
  std::vector<Signs> signs_;
  std::size_t parts_ = 0;
};

}  // namespace tutti::doctor
