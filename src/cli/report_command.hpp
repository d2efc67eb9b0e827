/// @file  tutti report: one page from measurements, a machine, a choice and findings, from files or from this machine.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/report_page.hpp"
#include "doctor/snapshot.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

/// "live" in place of a file is this machine. With all four empty, all four are "live".
struct ReportParts {
  std::vector<std::string> topology{};  ///< files of one machine, or one preset of a machine or cluster
  std::vector<std::string> bench{};     ///< what `tutti bench --json` wrote
  std::vector<std::string> doctor{};    ///< snapshots, or what `tutti doctor --format json` wrote
  std::string explain{};                ///< what `tutti explain --json` wrote
  std::string collective = "all_reduce";
  std::string bytes = "64M";  ///< of what is explained live
  int ranks = 2;              ///< threads of what is measured and explained live
  double seconds = 10;        ///< of measuring
  std::string title{};        ///< empty: the machine's name
  std::string command{};      ///< as it was typed
  std::string date{};         ///< "2026-01-31 12:00 UTC"
};

/// The whole page. `source` is where a live doctor looks. Throws Error naming the file or option that is at fault.
std::string report_page(const ReportParts& parts, const doctor::Source& source, std::istream& in);

/// `words` are those of the command line, for the page to tell.
void add_report_command(CLI::App& app, int& status, const std::vector<std::string>& words);

}  // namespace tutti::cli
