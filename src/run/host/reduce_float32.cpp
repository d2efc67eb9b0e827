/// @file  The loops of float32.
#include "run/host/reduce_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/host/reduce_float32.cpp"
#include "hwy/foreach_target.h"
#include "run/host/reduce_loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

template <class Op, bool Fast>
using Float32 = Whole<float, Op, Fast>;

const Loops* float32_of_target() {
  static constexpr Loops loops = float_loops<float, Float32>();
  return &loops;
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti::host {

HWY_EXPORT(float32_of_target);
const Loops* float32_loops() noexcept { return HWY_DYNAMIC_DISPATCH(float32_of_target)(); }

}  // namespace tutti::host
#endif
