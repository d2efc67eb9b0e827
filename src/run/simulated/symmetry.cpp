#include "run/simulated/symmetry.hpp"

namespace tutti::simulated {

Symmetry::Kind symmetry_of(const plan::Schedule& schedule) {
  using Kind = Symmetry::Kind;
  if (has_root(schedule.collective) || is_pairwise(schedule.collective)) return Kind::none;
  switch (schedule.algorithm) {
    case Algorithm::ring:
      return schedule.collective == Collective::barrier ? Kind::none : Kind::rotation;
    case Algorithm::one_shot:
    case Algorithm::two_shot:
    case Algorithm::bruck:
      return Kind::rotation;
    case Algorithm::halving_doubling:
      return plan::floor_power(schedule.size) == schedule.size ? Kind::exclusive_or : Kind::none;
    default:
      return Kind::none;
  }
}

}  // namespace tutti::simulated
