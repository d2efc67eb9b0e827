/// @file  What NCCL calls tutti's element types and operators, where it has them.
#pragma once

#include <optional>

#include "run/nccl/nccl_library.hpp"
#include "tutti/base/request.hpp"

namespace tutti::nccl {

/// For reductions; data that only moves goes as bytes, whatever it is. Nothing: this version has no such type.
std::optional<Type> type_of(DataType type, int version);

/// A premultiplied sum's scale as an element of a floating-point type, rounded.
struct Scalar {
  alignas(8) unsigned char bytes[8];
};
Scalar scalar_of(double scale, DataType type);

}  // namespace tutti::nccl
