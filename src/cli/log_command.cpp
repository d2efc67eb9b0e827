#include "cli/log_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/doctor_input.hpp"
#include "doctor/log_findings.hpp"

namespace tutti::cli {

int log_command(const LogArguments& arguments, std::istream& in, std::ostream& out) {
  std::string text;
  for (const std::string& file : arguments.files) {
    text += contents_of(file, in);
    if (!text.empty() && text.back() != '\n') text += '\n';
  }
  const std::string name = arguments.files.size() == 1 ? arguments.files.front() : "all files together";
  const doctor::LogReport report = doctor::read_log(text, name == "-" ? "standard input" : name);
  ReportOptions options{.format = arguments.format, .page = "docs/log.md", .nothing = "Nothing went wrong."};
  options.story = report.story;
  if (!report.any_line) options.nothing = "So nothing can be said of this job.";
  if (report.failed) {
    const Finding& first = report.findings.front();
    options.headline = fmt::format("First cause: {}: {}.", first.subject, first.what);
  } else if (!report.findings.empty()) {
    options.headline = "No error ended this job. Worth a look:";
  }
  write_report(report.findings, options, out);
  return exit_status(report.findings);
}

void add_log_command(CLI::App& app, int& status) {
  struct Given {
    LogArguments arguments{};
    std::string format = "text";
  };
  const auto given = std::make_shared<Given>();
  CLI::App* log =
      app.add_subcommand("log", "What an NCCL log (NCCL_DEBUG=INFO) says was used, and what went wrong first");
  log->add_option("FILE", given->arguments.files, "Logs of one job, of any mix of ranks; - is standard input")
      ->required();
  log->add_option("--format", given->format, "text, json or sarif")->capture_default_str();
  log->callback([given, &status] {
    given->arguments.format = parse_report_format(given->format);
    status = log_command(given->arguments, std::cin, std::cout);
  });
}

}  // namespace tutti::cli
