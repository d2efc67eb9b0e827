/// @file  Shape: how many elements a call reads and writes on a rank, and whether its arguments make sense.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/base/request.hpp"

namespace tutti {

/// Elements of this rank's input and output; 0 where a collective does not use one on this rank.
struct Shape {
  std::size_t in = 0;
  std::size_t out = 0;
};

/// Precondition: validate() has accepted the request.
Shape shape_of(const Request& request, int rank, int size);

/// The part of `validate` that is about where the buffers are.
void validate_buffers(const Request& request, int rank, const Shape& shape);

/// What most calls are, and then there is nothing to validate: both buffers given, and apart.
inline bool buffers_apart(const Request& request, const Shape& shape) {
  const auto in = reinterpret_cast<std::uintptr_t>(request.in);
  const auto out = reinterpret_cast<std::uintptr_t>(request.out);
  return in != 0 && out != 0 &&
         (in + shape.in * request.element_size <= out || out + shape.out * request.element_size <= in);
}

/// Throws invalid_argument, naming the argument, its value and what would be right; unsupported for an operator that
/// does not combine such elements.
void validate(const Request& request, int rank, int size);

}  // namespace tutti
