/// @file  `tutti autopsy`: why a job hangs, or what its ranks were doing when it ended, from the files they left.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/autopsy.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct AutopsyArguments {
  std::string folder{};  ///< of a job, or one above: then of the job that began last
  bool json = false;
};

/// Writes who keeps whom waiting. Returns 0 when nothing was found, 2 with warnings, 3 with errors. Throws
/// Error(invalid_argument) for a folder without files of a flight recorder, and for files that are damaged.
int autopsy_command(const AutopsyArguments& arguments, std::ostream& out);

/// The newest job of a folder, with what is known of its processes. `others`: files of other jobs, or starts, there.
std::vector<Remains> read_remains(const std::string& folder, std::size_t& others);

void write_text(const Autopsy& autopsy, std::ostream& out);
void write_json(const Autopsy& autopsy, std::ostream& out);

/// Adds `autopsy` to the program; when it is called, its exit status goes to `status`.
void add_autopsy_command(CLI::App& app, int& status);

}  // namespace tutti::cli
