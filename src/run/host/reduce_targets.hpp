/// @file  Which instruction sets the loops are compiled for: include before Highway.
#pragma once

#include "hwy/detect_targets.h"

// Each one costs a compilation of every loop. SSSE3 without SSE4 is no machine of today, AVX3_DL adds nothing
// that a reduction uses, and the loops keep vectors in arrays and structs, which scalable ones cannot do.
// Where a sanitizer makes that cost minutes, the least and a wide one must do.
#undef HWY_DISABLED_TARGETS
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif

namespace tutti::host {

/// The instruction sets that the loops are compiled for and this processor has, the best first.
int instruction_set_count();

/// For tests: from now on the loops are those of set `index`, whose name this gives; -1: of the best. No loop may
/// be running.
const char* use_instruction_set(int index);

}  // namespace tutti::host
