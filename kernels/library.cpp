#include "kernels/library.hpp"

#include <cuda_runtime_api.h>

#include "kernels/arguments.hpp"

extern "C" [[gnu::visibility("default")]] tutti::kernels::LibraryFunction tutti_kernels_library;

const tutti::kernels::Library* tutti_kernels_library() {
  static constexpr tutti::kernels::Library library{TUTTI_VERSION, sizeof(tutti::kernels::Arguments), CUDART_VERSION,
                                                   &tutti::kernels::kernel_for};
  return &library;
}
