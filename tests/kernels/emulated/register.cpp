/// @file  The kernels' own sources once more, compiled for the emulated runtime and registered with it.
#include "kernels/collective.cuh"
#include "kernels/operators.hpp"

namespace {

using namespace tutti;
using namespace tutti::kernels;

template <class T, class F>
void register_both() {
  emulated::register_kernel<&collective<T, F, false>>();
  emulated::register_kernel<&collective<T, F, true>>();
}

template <class... T>
bool register_types() {
  (for_each_operator<T>([](auto f) { register_both<T, decltype(f)>(); }), ...);
  return true;
}

const bool registered = [] {
  register_both<std::uint8_t, Copy>();
  return register_types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                        std::int64_t, std::uint64_t, float8_e4m3, float8_e5m2, float16, bfloat16, float, double>();
}();

}  // namespace
