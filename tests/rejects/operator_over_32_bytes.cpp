/// @file  An operator that does not fit a request is refused where it is written.
// rejected: no matching function|constraints not satisfied
#include "tutti/base/reduce_op.hpp"

#ifdef REJECT
constexpr int state_bytes = 33;
#else
constexpr int state_bytes = 32;
#endif

struct Keyed {
  char state[state_bytes] = {};
  float operator()(float a, float b) const { return state[0] != 0 ? a : b; }
};

auto packed = tutti::pack<float>(Keyed{});
