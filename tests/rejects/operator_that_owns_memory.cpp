/// @file  An operator is copied byte by byte, so it may not own anything.
// rejected: no matching function|constraints not satisfied
#include <memory>

#include "tutti/base/reduce_op.hpp"

struct Scaled {
#ifdef REJECT
  std::shared_ptr<float> scale;
#else
  const float* scale;
#endif
  float operator()(float a, float b) const { return a + *scale * b; }
};

tutti::ReduceOp packed(const Scaled& op) { return tutti::pack<float>(op); }
