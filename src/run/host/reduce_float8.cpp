/// @file  The loops of the 8-bit floats.
#include "run/host/reduce_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/host/reduce_float8.cpp"
#include "hwy/foreach_target.h"
#include "run/host/reduce_loops.hpp"
#include "run/host/reduce_narrow.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

template <class Op, bool>
using E4m3 = Narrow<float8_e4m3, Op>;
template <class Op, bool>
using E5m2 = Narrow<float8_e5m2, Op>;

const Loops* float8_e4m3_of_target() {
  static constexpr Loops loops = float_loops<float8_e4m3, E4m3>();
  return &loops;
}
const Loops* float8_e5m2_of_target() {
  static constexpr Loops loops = float_loops<float8_e5m2, E5m2>();
  return &loops;
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti::host {

HWY_EXPORT(float8_e4m3_of_target);
const Loops* float8_e4m3_loops() noexcept { return HWY_DYNAMIC_DISPATCH(float8_e4m3_of_target)(); }
HWY_EXPORT(float8_e5m2_of_target);
const Loops* float8_e5m2_loops() noexcept { return HWY_DYNAMIC_DISPATCH(float8_e5m2_of_target)(); }

}  // namespace tutti::host
#endif
