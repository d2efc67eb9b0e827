/// @file  Kernels of integers of 64 bits.
#include "kernels/table.cuh"

namespace tutti::kernels {

Kernel int64_kernel(DataType type, Op op) {
  return type == DataType::int64 ? kernel_of_type<std::int64_t>(op) : kernel_of_type<std::uint64_t>(op);
}

}  // namespace tutti::kernels
