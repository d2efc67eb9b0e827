/// @file  Symbolic memory: what each block of each buffer holds, and whether anybody touches it out of turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/proof/clock.hpp"
#include "plan/proof/meaning.hpp"
#include "plan/proof/wording.hpp"

namespace tutti::plan {

/// The step number of a rank's caller, before and after all steps.
inline constexpr int caller_index = -1;

/// A piece of data, by where it comes from.
struct Value {
  Ranks ranks = 0;         ///< whose parts it holds
  Ranks twice = 0;         ///< those that it holds more than once
  int block = -1;          ///< of which block
  int event = -1;          ///< that made it; -1: nobody, or nobody kept record
  int finishes = 0;        ///< times that the operator's last touch was applied
  bool there = false;      ///< has been written at all
  bool prepared = true;    ///< false: as the caller left it
  bool rank_order = true;  ///< made by combining single parts one by one, in ascending order of their ranks
};

/// The buffers of all ranks, piece by piece. They belong to the callers, who hand them in when they enter the call and
/// get them back when they leave it: before and after, no peer may touch them.
class SymbolicMemory {
 public:
  SymbolicMemory(const Program& program, const Meaning& meaning, const Conditions& conditions, bool watch_order);

  /// A step as it touches memory: where it stands, its lane among all lanes, and its clock.
  struct Actor {
    Spot spot;
    int lane = 0;
    const Clock* clock = nullptr;
  };

  /// The piece of `block` in that place of `rank`, as the step at work reads it: prepared, if it is an input.
  Value read(const Actor& actor, int rank, Place place, int block);
  void write(const Actor& actor, int rank, Place place, int block, const Value& value);
  /// A copy of a piece onto itself: nothing is touched, but from now on it counts as written.
  void keep(const Actor& actor, int rank, Place place, int block);

  /// Would a copy from one place of a rank to another be a copy of a piece onto itself?
  bool same(int rank, Place from, Place to, int block) const;
  const Value& output(int rank, int block, int chunk) const;

  /// The buffers of `rank` come from its caller, who counts as a lane; from its first tick on, who knows of that may
  /// touch them.
  void enter(int rank, int caller);
  /// They go back to the caller, who knows what `clock` says.
  void leave(int rank, const Clock& clock) const;

 private:
  struct Access {
    int lane = -1;
    std::uint32_t tick = 0;
    Spot spot{};
  };
  struct Cell {
    Value value{};
    Access written{};
    std::vector<Access> readings{};
  };

  std::size_t cell_index(int rank, Place place, int block, int chunk) const;
  struct Where {
    int rank;
    Place place;
    int block;
  };
  /// Throws unless who knows `clock` knows that `earlier` is over.
  void check_order(const Clock& clock, const Spot& now, const char* does, const Access& earlier, const char* did,
                   const Where& where) const;

  const Meaning& meaning_;
  int size_;
  int blocks_;
  int chunks_;
  bool in_place_;
  bool watch_order_;
  std::vector<Cell> cells_;
};

}  // namespace tutti::plan
