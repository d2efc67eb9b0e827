/// @file  A function object and a type of a user's own, as user code compiles kernels for them.
#include "kernels/table.cuh"

namespace own {

/// Twelve bytes, which no power of two divides: the matrix [[a, b], [0, c]].
struct Triple {
  std::uint32_t a, b, c;
};

/// With state.
struct MaskedProduct {
  std::uint32_t mask = 0;
  TUTTI_HOST_DEVICE Triple operator()(Triple x, Triple y) const {
    return {x.a * y.a ^ mask, x.a * y.b + x.b * y.c, x.c * y.c};
  }
};

/// The larger magnitude, up to a limit; narrow floats come as float.
struct LimitedMagnitude {
  float limit = 0;
  TUTTI_HOST_DEVICE float operator()(float a, float b) const {
    const float x = a < 0 ? -a : a;
    const float y = b < 0 ? -b : b;
    const float larger = x < y ? y : x;
    return larger < limit ? larger : limit;
  }
};

/// What an engine would be given, as for a ready-made operator.
tutti::kernels::Kernel of_triples() { return tutti::kernels::KernelMaker{}.operator()<Triple, MaskedProduct>(); }
tutti::kernels::Kernel of_bfloat16() {
  return tutti::kernels::KernelMaker{}.operator()<tutti::bfloat16, LimitedMagnitude>();
}

}  // namespace own
