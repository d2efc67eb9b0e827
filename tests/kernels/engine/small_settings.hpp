/// @file  Settings for kernels whose threads are fibres of one processor: few and small.
#pragma once

#include "tutti/config.hpp"

namespace tutti::emulated {

inline Config small_settings() { return {.cuda = {.channels = 2, .threads = 32, .wire_bytes = 4 << 20}}; }

}  // namespace tutti::emulated
