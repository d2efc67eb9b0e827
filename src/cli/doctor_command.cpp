#include "cli/doctor_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <set>

#include "cli/doctor_input.hpp"
#include "cli/output_file.hpp"
#include "doctor/rule.hpp"

namespace tutti::cli {

int doctor_command(const DoctorArguments& arguments, const doctor::Source& source, std::istream& in,
                   std::ostream& out) {
  std::vector<doctor::Snapshot> hosts;
  std::set<std::string> names;
  for (const std::string& file : arguments.files) {
    hosts.push_back(doctor::read_snapshot(contents_of(file, in), file));
    // Containers of one image often have one name.
    std::string& name = hosts.back().host;
    if (name.empty() || !names.insert(name).second) name = fmt::format("{} ({})", name, file);
  }
  if (arguments.files.empty()) hosts.push_back(doctor::collect(source));
  const auto findings = doctor::diagnose(hosts);
  write_report(findings,
               {.format = arguments.format,
                .quiet = arguments.quiet,
                .page = "docs/doctor.md",
                .nothing = fmt::format("{} rules, nothing found.", doctor::rules().size())},
               out);
  return exit_status(findings);
}

int doctor_collect(const std::string& file, const doctor::Source& source, std::ostream& out) {
  if (file == "-") {
    out << doctor::write_snapshot(doctor::collect(source));
    return 0;
  }
  OutputFile output(file);
  output.write(doctor::write_snapshot(doctor::collect(source)));
  output.publish();
  return 0;
}

int doctor_rules(std::ostream& out) {
  for (const doctor::Rule& rule : doctor::rules()) {
    out << fmt::format("{:<26} {:<8} {}\n{:<36}do: {}\n", rule.id, name(rule.severity), rule.what, "", rule.remedy);
  }
  return 0;
}

void add_doctor_command(CLI::App& app, int& status) {
  struct Given {
    DoctorArguments arguments{};
    std::string format = "text";
    std::string root{};
    std::string snapshot{};
    bool rules = false;
  };
  const auto given = std::make_shared<Given>();
  CLI::App* check = app.add_subcommand(
      "doctor", "Is this machine fit for a job? Or one of which there is a snapshot; several are compared");
  check->add_option("FILE", given->arguments.files, "Snapshots of machines; none: this one");
  check->add_option("--format", given->format, "text, json or sarif")->capture_default_str();
  check->add_option("--root", given->root, "Look at /sys and /proc under this folder; no command is run");
  check->add_flag("--quiet", given->arguments.quiet, "No notes");
  check->add_flag("--rules", given->rules, "List the rules, and look at nothing");
  CLI::App* collect = check->add_subcommand("collect", "Write a snapshot of this machine, to be judged elsewhere");
  collect->add_option("FILE", given->snapshot, "Where; - is standard output")->required();
  check->callback([given, collect, &status] {
    doctor::Source source = doctor::this_machine_source();
    if (!given->root.empty()) source = {.root = given->root};
    if (given->rules) {
      status = doctor_rules(std::cout);
    } else if (collect->parsed()) {
      status = doctor_collect(given->snapshot, source, std::cout);
    } else {
      given->arguments.format = parse_report_format(given->format);
      status = doctor_command(given->arguments, source, std::cin, std::cout);
    }
  });
}

}  // namespace tutti::cli
