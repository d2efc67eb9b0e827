/// @file  Pool: OS threads for whatever has to run at the same time: blocks of all devices, nodes of graphs.
#pragma once

#include <functional>

namespace tutti::emulated {

/// Runs it on a thread of its own, at once: never behind something that waits for it.
void run_beside(std::function<void()> task);

}  // namespace tutti::emulated
