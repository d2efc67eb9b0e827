/// @file  A bitwise operator has no meaning for floats.
// rejected: no matching function|constraints not satisfied
#include "tutti/base/reduce_op.hpp"

#ifdef REJECT
auto packed = tutti::pack<float>(tutti::bitwise_and);
#else
auto packed = tutti::pack<unsigned>(tutti::bitwise_and);
#endif
