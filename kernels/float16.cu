/// @file  Kernels of 16-bit floats, combined as float32.
#include "kernels/table.cuh"

namespace tutti::kernels {

Kernel float16_kernel(DataType type, Op op) {
  return type == DataType::float16 ? kernel_of_type<float16>(op) : kernel_of_type<bfloat16>(op);
}

}  // namespace tutti::kernels
