#include "cli/autopsy_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "run/flight_memory.hpp"

namespace tutti::cli {

int autopsy_command(const AutopsyArguments& arguments, std::ostream& out) {
  std::size_t others = 0;
  const Autopsy autopsy = autopsy_of(read_remains(arguments.folder, others));
  if (arguments.json) {
    write_json(autopsy, out);
  } else {
    write_text(autopsy, out);
    if (others > 0) out << fmt::format("\n({} files of other jobs or starts were left out.)\n", others);
  }
  return exit_status(autopsy.findings);
}

void add_autopsy_command(CLI::App& app, int& status) {
  const auto given = std::make_shared<AutopsyArguments>();
  given->folder = default_flight_directory();
  CLI::App* autopsy = app.add_subcommand(
      "autopsy", "Why a job hangs, or what its ranks were doing when it ended, from the files they left");
  autopsy->add_option("DIR", given->folder, "The job's folder, or one above: then its last job")->capture_default_str();
  autopsy->add_flag("--json", given->json, "For programs");
  autopsy->callback([given, &status] { status = autopsy_command(*given, std::cout); });
}

}  // namespace tutti::cli
