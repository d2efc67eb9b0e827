/// @file  in_process: many ranks as threads of this process; no launcher, no GPU.
#pragma once

#include <functional>

#include "tutti/communicator.hpp"

namespace tutti {

/// Runs `body` on `ranks` threads, each with its own communicator, and returns when all have returned.
/// When a body throws, the other ranks' calls fail; the first failure that was not a consequence is thrown here.
void in_process(int ranks, const std::function<void(Communicator&)>& body, const Config& config = {});

}  // namespace tutti
