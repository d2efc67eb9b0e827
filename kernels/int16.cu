/// @file  Kernels of integers of 16 bits.
#include "kernels/table.cuh"

namespace tutti::kernels {

Kernel int16_kernel(DataType type, Op op) {
  return type == DataType::int16 ? kernel_of_type<std::int16_t>(op) : kernel_of_type<std::uint16_t>(op);
}

}  // namespace tutti::kernels
