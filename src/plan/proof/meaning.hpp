/// @file  Meaning: what a collective demands of its ranks: who gives which blocks, who gets which, made of whose parts.
#pragma once

#include <cstdint>

#include "tutti/plan/program.hpp"

namespace tutti::plan {

/// A set of up to 64 ranks.
using Ranks = std::uint64_t;

constexpr Ranks only(int rank) { return Ranks{1} << rank; }

class Meaning {
 public:
  explicit Meaning(const Schedule& schedule);

  /// Does the caller's input or output of `rank` hold `block`? Every rank's scratch holds all.
  bool holds(int rank, Place place, int block) const;
  /// Whose parts make up an output block.
  Ranks parts(int rank, int block) const;
  /// The output block that lies where this input block does, when both are the same memory.
  int twin(int block) const;

  bool reduces() const { return reduces_; }
  /// A barrier passes on word that ranks have come; to hear of one twice does no harm.
  bool is_barrier() const { return schedule_.collective == Collective::barrier; }
  Ranks all() const { return schedule_.size == 64 ? ~Ranks{0} : only(schedule_.size) - 1; }

 private:
  Schedule schedule_;
  Pair pair_{};
  bool reduces_;
};

}  // namespace tutti::plan
