#include "kernels/host_kernels.hpp"

namespace tutti::kernels::test {

HostKernel integer_kernel(DataType type, Op op, bool packets) {
  switch (type) {
    case DataType::int8:
      return host_kernel_of<std::int8_t>(op, packets);
    case DataType::uint8:
      return host_kernel_of<std::uint8_t>(op, packets);
    case DataType::int16:
      return host_kernel_of<std::int16_t>(op, packets);
    case DataType::uint16:
      return host_kernel_of<std::uint16_t>(op, packets);
    case DataType::int32:
      return host_kernel_of<std::int32_t>(op, packets);
    case DataType::uint32:
      return host_kernel_of<std::uint32_t>(op, packets);
    case DataType::int64:
      return host_kernel_of<std::int64_t>(op, packets);
    case DataType::uint64:
      return host_kernel_of<std::uint64_t>(op, packets);
    default:
      return nullptr;
  }
}

}  // namespace tutti::kernels::test
