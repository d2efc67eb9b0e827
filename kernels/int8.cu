/// @file  Kernels of integers of 8 bits.
#include "kernels/table.cuh"

namespace tutti::kernels {

Kernel int8_kernel(DataType type, Op op) {
  return type == DataType::int8 ? kernel_of_type<std::int8_t>(op) : kernel_of_type<std::uint8_t>(op);
}

}  // namespace tutti::kernels
