/// @file  The loops of the 64-bit integers.
#include "run/host/reduce_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/host/reduce_int64.cpp"
#include "hwy/foreach_target.h"
#include "run/host/reduce_loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::host::HWY_NAMESPACE {

const Loops* int64_of_target() {
  static constexpr Loops loops = integer_loops<std::int64_t>();
  return &loops;
}
const Loops* uint64_of_target() {
  static constexpr Loops loops = integer_loops<std::uint64_t>();
  return &loops;
}

}  // namespace tutti::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti::host {

HWY_EXPORT(int64_of_target);
const Loops* int64_loops() noexcept { return HWY_DYNAMIC_DISPATCH(int64_of_target)(); }
HWY_EXPORT(uint64_of_target);
const Loops* uint64_loops() noexcept { return HWY_DYNAMIC_DISPATCH(uint64_of_target)(); }

}  // namespace tutti::host
#endif
