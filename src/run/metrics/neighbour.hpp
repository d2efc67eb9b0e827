/// @file  Neighbour: the calls of another rank of this host, from the file of its flight recorder.
#pragma once

#include <string>
#include <vector>

#include "tutti/run/call_record.hpp"

namespace tutti::metrics {

/// Its last calls, in ascending order; empty when there is no such file, or when it is none of ours.
std::vector<CallRecord> calls_in_file(const std::string& file);

}  // namespace tutti::metrics
