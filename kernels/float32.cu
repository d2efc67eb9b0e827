/// @file  Kernels of float32 and float64.
#include "kernels/table.cuh"

namespace tutti::kernels {

Kernel float32_kernel(DataType type, Op op) {
  return type == DataType::float32 ? kernel_of_type<float>(op) : kernel_of_type<double>(op);
}

}  // namespace tutti::kernels
