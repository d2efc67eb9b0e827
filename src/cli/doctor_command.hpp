/// @file  `tutti doctor`: is this machine, or one that was looked at before, fit for a job? Are several alike?
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/doctor_report.hpp"
#include "doctor/snapshot.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct DoctorArguments {
  std::vector<std::string> files{};  ///< snapshots, "-" is standard input; none: the machine of the source
  ReportFormat format = ReportFormat::text;
  bool quiet = false;
};

/// Writes the findings. Returns 0, 2 with warnings, 3 with errors. Throws Error(invalid_argument) for a file that is no
/// snapshot.
int doctor_command(const DoctorArguments& arguments, const doctor::Source& source, std::istream& in, std::ostream& out);

/// Writes a snapshot of the source to a file, or to `out` for "-". Throws Error(resource) when it cannot be written.
int doctor_collect(const std::string& file, const doctor::Source& source, std::ostream& out);

/// Writes all rules: id, severity, what each looks for and its remedy.
int doctor_rules(std::ostream& out);

/// Adds `doctor` and `doctor collect` to the program; when one is called, its exit status goes to `status`.
void add_doctor_command(CLI::App& app, int& status);

}  // namespace tutti::cli
