#include "kernels/host_kernels.hpp"

namespace tutti::kernels::test {

HostKernel host_kernel(DataType type, Op op, bool packets) {
  if (op == Op::none) return host_kernel_of<std::uint8_t, Copy>(packets);
  return is_float(type) ? float_kernel(type, op, packets) : integer_kernel(type, op, packets);
}

HostKernel float_kernel(DataType type, Op op, bool packets) {
  switch (type) {
    case DataType::float16:
      return host_kernel_of<float16>(op, packets);
    case DataType::bfloat16:
      return host_kernel_of<bfloat16>(op, packets);
    case DataType::float8_e4m3:
      return host_kernel_of<float8_e4m3>(op, packets);
    case DataType::float8_e5m2:
      return host_kernel_of<float8_e5m2>(op, packets);
    case DataType::float32:
      return host_kernel_of<float>(op, packets);
    case DataType::float64:
      return host_kernel_of<double>(op, packets);
    default:
      return nullptr;
  }
}

}  // namespace tutti::kernels::test
