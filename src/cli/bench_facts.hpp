/// @file  Facts about a run: the ranks' hosts and the machine that rank 0 is on.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_options.hpp"
#include "cli/bench_row.hpp"
#include "tutti/communicator.hpp"

namespace tutti::bench {

/// Collective: every rank's text, by rank; longer ones are cut at 64 bytes.
std::vector<std::string> gather_texts(Communicator& communicator, const std::string& text);

/// Collective.
RunFacts facts_of(Communicator& communicator, const BenchOptions& options, const std::string& peer);

}  // namespace tutti::bench
