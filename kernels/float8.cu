/// @file  Kernels of 8-bit floats, combined as float32.
#include "kernels/table.cuh"

namespace tutti::kernels {

Kernel float8_kernel(DataType type, Op op) {
  return type == DataType::float8_e4m3 ? kernel_of_type<float8_e4m3>(op) : kernel_of_type<float8_e5m2>(op);
}

}  // namespace tutti::kernels
