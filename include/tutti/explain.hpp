/// @file  Explain: takes calls like a communicator, runs nothing, and tells how they would be run and why not otherwise.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "tutti/base/request.hpp"
#include "tutti/choose/decision.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

/// One way to run a call.
struct ExplainedWay {
  Decision decision{};
  bool possible = false;
  bool chosen = false;
  double us = 0;         ///< as `tutti tune` measured it on this machine; 0: it did not
  std::string reason{};  ///< why it was not chosen: where it would be, what the call names, or what speaks against it
};

/// From so many bytes of one rank's data on, up to the next turn, such calls go this way.
struct ExplainedTurn {
  std::size_t bytes = 0;
  Decision decision{};
};

struct Explanation {
  std::string call{};  ///< "all_reduce of 64 KiB float32"
  int ranks = 1;
  Decision chosen{};
  std::vector<ExplainedWay> ways{};    ///< the chosen one first, then those that can, then those that cannot
  std::vector<ExplainedTurn> turns{};  ///< from one element to 1 GiB; empty where only one size makes sense
};

/// As a table: the choice, every way with its reason, and the sizes where the choice changes.
std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

/// What this communicator would do with a call:
///
///     std::cout << all_reduce(Explain{comm}, on_host(grads), sum);
///
/// Local: no rank waits for another, and no buffer is touched. The engines of host memory have crossovers (docs/choice.md), no
/// prices, so there are times only where Config::tuning has measured them; `tutti explain` has those of described machines. A value; may be used from several threads.
class Explain {
 public:
  explicit Explain(const Communicator& communicator) : communicator_(communicator) {}

  int size() const noexcept { return communicator_.size(); }
  /// Throws what the call itself would throw before it begins.
  Explanation submit(const Request& request) const;

 private:
  Communicator communicator_;
};

}  // namespace tutti
