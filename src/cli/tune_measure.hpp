/// @file  What `tutti tune` measures: every way of every collective, sizes one after another, ways interleaved.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/tune_fit.hpp"
#include "tutti/communicator.hpp"

namespace tutti::tune {

struct Plan {
  std::vector<Collective> collectives{};
  std::vector<std::size_t> sizes{};  ///< ascending, as nccl-tests count them
  double seconds = 60;               ///< about how long all of it may take
};

/// Collective over ranks of one machine. float32, and sum where something is combined. Ranks that are processes are
/// measured twice: with memory of their own, and with the communicator's. `progress` tells what comes next.
std::vector<Measurements> measure_ways(Communicator& communicator, const Plan& plan,
                                       const std::function<void(const std::string&)>& progress);

}  // namespace tutti::tune
