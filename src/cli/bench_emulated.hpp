/// @file  The benchmark among emulated GPUs: the same program once more, with the libraries that emulate them.
#pragma once

namespace tutti::bench {

/// Does not return, but throws: unsupported where this build has no emulated libraries, invalid_argument for a number of
/// devices that makes no sense.
[[noreturn]] void start_again_emulated(int devices);

}  // namespace tutti::bench
