/// @file  Element: which DataType a C++ type is.
#pragma once

#include <concepts>
#include <type_traits>

#include "tutti/base/narrow_float.hpp"
#include "tutti/base/types.hpp"

namespace tutti {

/// What a buffer may hold: trivially copyable, at most 32 bytes, not bool and no pointer (neither means
/// anything summed or sent elsewhere).
template <class T>
concept Element = std::is_trivially_copyable_v<T> && sizeof(T) <= 32 && !std::is_pointer_v<T> &&
                  !std::same_as<std::remove_cv_t<T>, bool> && !std::is_const_v<T>;

template <Element T>
consteval DataType data_type_of() {
  if constexpr (std::is_integral_v<T>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? DataType::int8 : DataType::uint8;
      case 2:
        return is_signed ? DataType::int16 : DataType::uint16;
      case 4:
        return is_signed ? DataType::int32 : DataType::uint32;
      default:
        return is_signed ? DataType::int64 : DataType::uint64;
    }
  }
  if constexpr (std::same_as<T, float>) return DataType::float32;
  if constexpr (std::same_as<T, double>) return DataType::float64;
  if constexpr (std::same_as<T, float16>) return DataType::float16;
  if constexpr (std::same_as<T, bfloat16>) return DataType::bfloat16;
  if constexpr (std::same_as<T, float8_e4m3>) return DataType::float8_e4m3;
  if constexpr (std::same_as<T, float8_e5m2>) return DataType::float8_e5m2;
  return DataType::user;
}

}  // namespace tutti
