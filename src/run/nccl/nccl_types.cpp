#include "run/nccl/nccl_types.hpp"

#include <cstring>

#include "tutti/base/narrow_float.hpp"
#include "tutti/base/reduce_op.hpp"

namespace tutti::nccl {

std::optional<Type> type_of(DataType type, int version) {
  switch (type) {
    case DataType::int8:
      return type_int8;
    case DataType::uint8:
      return type_uint8;
    case DataType::int32:
      return type_int32;
    case DataType::uint32:
      return type_uint32;
    case DataType::int64:
      return type_int64;
    case DataType::uint64:
      return type_uint64;
    case DataType::float16:
      return type_float16;
    case DataType::float32:
      return type_float32;
    case DataType::float64:
      return type_float64;
    case DataType::bfloat16:
      return version >= version_number(2, 10, 0) ? std::optional(type_bfloat16) : std::nullopt;
    case DataType::float8_e4m3:
      return version >= version_number(2, 24, 0) ? std::optional(type_float8_e4m3) : std::nullopt;
    case DataType::float8_e5m2:
      return version >= version_number(2, 24, 0) ? std::optional(type_float8_e5m2) : std::nullopt;
    case DataType::int16:
    case DataType::uint16:
    case DataType::user:
      return std::nullopt;
  }
  return std::nullopt;
}

namespace {

template <class T>
Scalar rounded(double scale) {
  const T value = static_cast<T>(static_cast<accumulator_t<T>>(scale));
  Scalar scalar{};
  std::memcpy(scalar.bytes, &value, sizeof value);
  return scalar;
}

}  // namespace

Scalar scalar_of(double scale, DataType type) {
  switch (type) {
    case DataType::float16:
      return rounded<float16>(scale);
    case DataType::bfloat16:
      return rounded<bfloat16>(scale);
    case DataType::float8_e4m3:
      return rounded<float8_e4m3>(scale);
    case DataType::float8_e5m2:
      return rounded<float8_e5m2>(scale);
    case DataType::float32:
      return rounded<float>(scale);
    default:
      return rounded<double>(scale);
  }
}

}  // namespace tutti::nccl
