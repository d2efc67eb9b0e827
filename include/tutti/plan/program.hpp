/// @file  Program: the steps of all ranks as data, to be proven, printed, or broken on purpose.
#pragma once

#include <vector>

#include "tutti/plan/schedule.hpp"

namespace tutti::plan {

/// What the ranks of a schedule do. A proof takes whatever stands here, be it what the step functions say or not.
struct Program {
  Schedule schedule{};
  int blocks = 1;
  std::vector<std::vector<std::vector<Step>>> steps{};  ///< [rank][lane][index]
};

/// The two ranks of send and recv: the schedule's root is the peer, its right neighbour the one that names it.
struct Pair {
  int sender;
  int receiver;
};
Pair pair_of(const Schedule& schedule);

/// The steps of a schedule that there is. Of send and recv, the two ranks have one each and the others none.
Program program_of(const Schedule& schedule);

}  // namespace tutti::plan
