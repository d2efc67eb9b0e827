/// @file  Pipeline: carries out a recipe, as far as it can go without waiting.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/host/schedule_run.hpp"
#include "run/host/team.hpp"
#include "run/two_level/recipe.hpp"

namespace tutti::two_level {

/// One cursor walks through rounds and stages in a fixed order; in tick t it does stage s of round t - lag(s). It is
/// the same walk on all ranks of a host, so that schedules never meet on a wire; on all ranks of a network, so that
/// its calls match; and between a call of the network and what needs its result lie the stages of other rounds.
class Pipeline {
 public:
  /// `ranks_here`: of the team that will be given.
  explicit Pipeline(int ranks_here) : run_(ranks_here) {}

  /// `recipe` has begun, and lasts until the end.
  void begin(Recipe& recipe);
  /// True when everything is done.
  bool advance(host::Team& team);
  /// Forgets it all, calls of the network under way included.
  void drop();

  /// What it waits for. The peer is a local rank.
  host::ScheduleRun::Awaited awaited(const host::Team& team) const;
  /// The peer alone, -1: none of this host; cheap.
  int awaited_peer(const host::Team& team) const { return running_ ? run_.awaited_peer(team) : -1; }
  /// The same for the flight recorder.
  Waiting waiting(const host::Team& team) const {
    return running_ ? run_.waiting(team) : Waiting{.flags = flight::with_network};
  }

 private:
  bool stage_is_over(int round, host::Team& team);
  std::unique_ptr<Transfer>& transfer(int stage, int round) {
    const int depth = recipe_->depth();
    return transfers_[static_cast<std::size_t>(stage) * static_cast<std::size_t>(depth) +
                      static_cast<std::size_t>(round % depth)];
  }
  bool arrived(std::unique_ptr<Transfer>& transfer);

  Recipe* recipe_ = nullptr;  ///< null: nothing is under way
  int tick_ = 0;
  int stage_ = 0;
  bool running_ = false;  ///< `run_` is the stage at hand
  host::ScheduleRun run_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  ///< [stages][depth]
  Remote asked_{};                                    ///< the last call of the network, for errors
};

}  // namespace tutti::two_level
