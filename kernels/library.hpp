/// @file  Library: what libtutti_kernels.so shows of itself to the engine that loads it.
#pragma once

#include <cstddef>

#include "kernels/launch.hpp"

namespace tutti::kernels {

struct Library {
  const char* version;          ///< of tutti; the engine's own must be the same
  std::size_t arguments_bytes;  ///< sizeof(Arguments), which both sides must mean alike
  int cuda;                     ///< CUDART_VERSION that it was compiled for, 13000
  Kernel (*kernel_for)(DataType type, Op op);
};

/// The name and type of the one function that it exports.
inline constexpr const char* library_symbol = "tutti_kernels_library";
using LibraryFunction = const Library*();

}  // namespace tutti::kernels
