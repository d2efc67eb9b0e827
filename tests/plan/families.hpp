/// @file  Every family of schedules that there is: collective, algorithm, window; for tests that go through all.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tutti/plan/schedule.hpp"

namespace tutti::plan {

/// Two ranks, root 0.
inline std::vector<Schedule> families() {
  std::vector<Schedule> all;
  for (int c = 0; c < collective_count; ++c) {
    for (const Algorithm algorithm : patterns) {
      for (const bool window : {false, true}) {
        const Schedule schedule{static_cast<Collective>(c), algorithm, window, 2, 0};
        if (unsupported(schedule) == nullptr) all.push_back(schedule);
      }
    }
  }
  return all;
}

inline std::vector<Schedule> families(Collective collective) {
  std::vector<Schedule> some = families();
  some.erase(std::remove_if(some.begin(), some.end(),
                            [&](const Schedule& schedule) { return schedule.collective != collective; }),
             some.end());
  return some;
}

inline int fewest_ranks(const Schedule& schedule) { return is_pairwise(schedule.collective) ? 2 : 1; }

/// All roots where there is one, else 0 alone.
inline std::vector<int> roots(const Schedule& schedule) {
  std::vector<int> all{0};
  const bool several = has_root(schedule.collective) || is_pairwise(schedule.collective);
  for (int root = 1; several && root < schedule.size; ++root) all.push_back(root);
  return all;
}

inline std::string described(const Schedule& schedule) {
  return std::string(name(schedule.collective)) + " by " + std::string(name(schedule.algorithm)) +
         (schedule.window ? " (window)" : "") + ", " + std::to_string(schedule.size) + " ranks, root " +
         std::to_string(schedule.root);
}

}  // namespace tutti::plan
