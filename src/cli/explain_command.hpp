/// @file  tutti explain: every way that a collective could take on a machine, what each would cost and why.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tutti/choose/price.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

/// From `bytes` on, up to the next one, this is the cheapest.
struct Crossover {
  std::size_t bytes = 0;
  choose::Pattern pattern = choose::Pattern::ring;
  choose::GpuProtocol protocol = choose::GpuProtocol::simple;
};

/// Between 8 bytes and 16 GiB, to within one part in a thousand.
std::vector<Crossover> crossovers(Collective collective, const choose::Platform& platform);

struct ExplainOptions {
  std::string collective = "all_reduce";
  std::string bytes = "64M";
  std::string topology = "dgx-h100";
  std::int64_t nodes = 0;
  std::int64_t ranks = 0;
  std::vector<std::string> settings{};
  bool here = false;     ///< tutti's own engine between `ranks` threads of this process (0: 2), instead of prices
  std::string tuning{};  ///< here: a file of tutti tune
  bool json = false;
};

/// Throws Error.
int explain_command(const ExplainOptions& options, std::ostream& out);

void add_explain_command(CLI::App& app, int& status);

}  // namespace tutti::cli
