/// @file  Kernels that only move data, and the list of all others.
#include "kernels/table.cuh"

namespace tutti::kernels {

Kernel copy_kernel() { return KernelMaker{}.operator()<std::uint8_t, Copy>(); }

Kernel kernel_for(DataType type, Op op) {
  if (op == Op::none) return copy_kernel();
  switch (type) {
    case DataType::int8:
    case DataType::uint8:
      return int8_kernel(type, op);
    case DataType::int16:
    case DataType::uint16:
      return int16_kernel(type, op);
    case DataType::int32:
    case DataType::uint32:
      return int32_kernel(type, op);
    case DataType::int64:
    case DataType::uint64:
      return int64_kernel(type, op);
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
      return float8_kernel(type, op);
    case DataType::float16:
    case DataType::bfloat16:
      return float16_kernel(type, op);
    case DataType::float32:
    case DataType::float64:
      return float32_kernel(type, op);
    case DataType::user:
      break;
  }
  return {};
}

}  // namespace tutti::kernels
