/// @file  The loops of float64.
#include "run/host/reduce_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/host/reduce_float64.cpp"
#include "hwy/foreach_target.h"
#include "run/host/reduce_loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

template <class Op, bool Fast>
using Float64 = Whole<double, Op, Fast>;

const Loops* float64_of_target() {
  static constexpr Loops loops = float_loops<double, Float64>();
  return &loops;
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti::host {

HWY_EXPORT(float64_of_target);
const Loops* float64_loops() noexcept { return HWY_DYNAMIC_DISPATCH(float64_of_target)(); }

}  // namespace tutti::host
#endif
