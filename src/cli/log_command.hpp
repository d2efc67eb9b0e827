/// @file  `tutti log`: what an NCCL log says was used, and what went wrong first.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/doctor_report.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct LogArguments {
  std::vector<std::string> files{};  ///< "-" is standard input; several are read as one
  ReportFormat format = ReportFormat::text;
};

/// Writes the story and the findings. Returns 0, 2 with warnings, 3 with errors. Throws Error(invalid_argument) for a
/// file that cannot be read.
int log_command(const LogArguments& arguments, std::istream& in, std::ostream& out);

/// Adds `log` to the program; when it is called, its exit status goes to `status`.
void add_log_command(CLI::App& app, int& status);

}  // namespace tutti::cli
