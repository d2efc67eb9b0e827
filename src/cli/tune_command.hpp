/// @file  tutti tune: measures this machine, and writes which way is quickest from which size on.
#pragma once

#include <ostream>
#include <string>

#include "tutti/choose/tuning.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct TuneOptions {
  std::string file{};  ///< written; what is in it of other ranks, reaches and collectives is kept
  std::string show{};  ///< a file to print, and nothing is measured
  std::string collectives = "all_reduce,broadcast,reduce,all_gather,reduce_scatter,all_to_all";
  std::string min = "8";
  std::string max = "16M";
  std::string ranks{};  ///< threads of this process: a list; empty: 2, 4, 8, … and as many as processors
  double seconds = 60;
  double hysteresis = 5;  ///< per cent
  bool fresh = false;
  bool quiet = false;
};

/// On all ranks of this process. Throws Error.
int tune_command(const TuneOptions& options, std::ostream& out);

/// As a table: from which size on which way, and every way's coefficients.
void print_tuning(const Tuning& tuning, std::ostream& out);

void add_tune_command(CLI::App& app, int& status);

}  // namespace tutti::cli
