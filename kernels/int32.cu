/// @file  Kernels of integers of 32 bits.
#include "kernels/table.cuh"

namespace tutti::kernels {

Kernel int32_kernel(DataType type, Op op) {
  return type == DataType::int32 ? kernel_of_type<std::int32_t>(op) : kernel_of_type<std::uint32_t>(op);
}

}  // namespace tutti::kernels
