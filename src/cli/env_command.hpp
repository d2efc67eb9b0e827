/// @file  `tutti env`: what is wrong with the NCCL_, TUTTI_, UCX_ and OMPI_MCA_ settings of an environment, a file or a
/// job script.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor_report.hpp"
#include "tutti/base/environment.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct EnvArguments {
  std::vector<std::string> what{};    ///< settings (NAME=value), files, "-"; none: the environment
  std::optional<std::string> nccl{};  ///< the version that will read them
  std::optional<std::string> root{};  ///< where sys lies, for names of devices; none: not looked at in files
  ReportFormat format = ReportFormat::text;
  bool quiet = false;
};

/// Writes the findings. Returns 0, 2 with warnings, 3 with errors. Throws Error(invalid_argument) for a file that cannot
/// be read and a version that is none.
int env_command(const EnvArguments& arguments, const Environment& environment, const std::vector<std::string>& names,
                std::istream& in, std::ostream& out);

/// Writes what is known about one variable. Returns 1 when nothing is.
int env_about(const std::string& name, std::ostream& out);

/// Adds `env` to the program; when it is called, its exit status goes to `status`.
void add_env_command(CLI::App& app, int& status);

}  // namespace tutti::cli
