/// @file  The loops of the 16-bit floats.
#include "run/host/reduce_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/host/reduce_float16.cpp"
#include "hwy/foreach_target.h"
#include "run/host/reduce_loops.hpp"
#include "run/host/reduce_narrow.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

template <class Op, bool Fast>
using Float16 = std::conditional_t<converts_float16, Half<Op, Fast>, Narrow<float16, Op>>;

const Loops* float16_of_target() {
  static constexpr Loops loops = float_loops<float16, Float16>();
  return &loops;
}
const Loops* bfloat16_of_target() {
  static constexpr Loops loops = float_loops<bfloat16, Brain>();
  return &loops;
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti::host {

HWY_EXPORT(float16_of_target);
const Loops* float16_loops() noexcept { return HWY_DYNAMIC_DISPATCH(float16_of_target)(); }
HWY_EXPORT(bfloat16_of_target);
const Loops* bfloat16_loops() noexcept { return HWY_DYNAMIC_DISPATCH(bfloat16_of_target)(); }

}  // namespace tutti::host
#endif
