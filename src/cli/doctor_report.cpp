#include "cli/doctor_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <vector>

#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string place_of(const Finding& finding) {
  return finding.line == 0 ? finding.place : fmt::format("{}:{}", finding.place, finding.line);
}

/// One line for a terminal: names and evidence come from files of others.
std::string one_line(const std::string& text) {
  std::string line(trim(text));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  constexpr std::size_t most = 1200;
  return shown(line, most);
}

void write_text(std::span<const Finding> findings, const ReportOptions& options, std::ostream& out) {
  for (const std::string& sentence : options.story) out << "- " << one_line(sentence) << '\n';
  if (!options.story.empty()) out << '\n';
  if (!options.headline.empty()) out << one_line(options.headline) << '\n';
  std::array<int, 3> counts{};
  for (const Finding& finding : findings) {
    ++counts.at(static_cast<std::size_t>(finding.severity));
    const std::string place = place_of(finding);
    out << fmt::format("{:<8} {}{}\n", name(finding.severity), one_line(finding.subject),
                       place.empty() ? "" : fmt::format("  ({})", one_line(place)));
    out << fmt::format("         {} [{}]\n", one_line(finding.what), finding.id);
    if (!finding.evidence.empty()) out << fmt::format("         seen: {}\n", one_line(finding.evidence));
    if (!finding.remedy.empty()) out << fmt::format("         do:   {}\n", one_line(finding.remedy));
  }
  if (findings.empty()) {
    out << options.nothing << '\n';
    return;
  }
  const auto count = [](int number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  out << fmt::format("{}, {}, {}; {} explains the ids\n", count(counts[2], "error"), count(counts[1], "warning"),
                     count(counts[0], "note"), options.page);
}

Json json_of(std::span<const Finding> findings, const ReportOptions& options) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json each;
    each["id"] = finding.id;
    each["severity"] = name(finding.severity);
    each["subject"] = finding.subject;
    each["what"] = finding.what;
    if (!finding.place.empty()) each["place"] = finding.place;
    if (finding.line != 0) each["line"] = finding.line;
    if (!finding.evidence.empty()) each["evidence"] = finding.evidence;
    if (!finding.remedy.empty()) each["remedy"] = finding.remedy;
    list.push_back(std::move(each));
  }
  Json json{{"tutti", TUTTI_VERSION}};
  if (!options.story.empty()) json["story"] = options.story;
  json["findings"] = std::move(list);
  return json;
}

/// SARIF 2.1.0, the parts that code hosts show.
Json sarif_of(std::span<const Finding> findings, const std::string& page) {
  Json rules = Json::array();
  Json results = Json::array();
  std::set<std::string> known;
  for (const Finding& finding : findings) {
    if (known.insert(finding.id).second) {
      rules.push_back({{"id", finding.id},
                       {"shortDescription", {{"text", finding.id}}},
                       {"help", {{"text", fmt::format("{}#{}", page, finding.id)}}}});
    }
    std::string text = fmt::format("{}: {}", finding.subject, finding.what);
    if (!finding.evidence.empty()) text += fmt::format(" Seen: {}.", finding.evidence);
    if (!finding.remedy.empty()) text += fmt::format(" Do: {}.", finding.remedy);
    Json result{{"ruleId", finding.id}, {"level", name(finding.severity)}, {"message", {{"text", text}}}};
    if (!finding.place.empty()) {
      Json location{{"artifactLocation", {{"uri", finding.place}}}};
      if (finding.line != 0) location["region"] = {{"startLine", finding.line}};
      result["locations"] = Json::array({Json{{"physicalLocation", location}}});
    }
    results.push_back(std::move(result));
  }
  const Json driver{{"name", "tutti"}, {"version", TUTTI_VERSION}, {"rules", rules}};
  const Json run{{"tool", {{"driver", driver}}}, {"results", results}};
  return Json{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
}

/// Bytes that are no UTF-8 come from files; they must not stop the report.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::optional<ReportFormat> report_format_named(std::string_view name) {
  if (name == "text") return ReportFormat::text;
  if (name == "json") return ReportFormat::json;
  if (name == "sarif") return ReportFormat::sarif;
  return {};
}

ReportFormat parse_report_format(const std::string& name) {
  const auto format = report_format_named(name);
  if (format) return *format;
  throw Error(Code::invalid_argument, fmt::format("--format {} is none of the forms", name),
              {.remedy = "use text, json or sarif"});
}

void write_report(std::span<const Finding> findings, const ReportOptions& options, std::ostream& out) {
  std::vector<Finding> shown;
  for (const Finding& finding : findings) {
    if (!options.quiet || finding.severity != Severity::note) shown.push_back(finding);
  }
  switch (options.format) {
    case ReportFormat::text:
      return write_text(shown, options, out);
    case ReportFormat::json:
      out << dump(json_of(shown, options)) << '\n';
      return;
    case ReportFormat::sarif:
      out << dump(sarif_of(shown, options.page)) << '\n';
      return;
  }
}

}  // namespace tutti::cli
