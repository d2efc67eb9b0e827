/// @file  Findings: what tutti doctor found, the worst first, each with what was seen and what to do.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/report_json.hpp"
#include "cli/report_section.hpp"
#include "cli/report_text.hpp"

namespace tutti::report {

namespace {

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string item(const Finding& finding, bool several_hosts) {
  std::string place = finding.place;
  if (finding.line != 0) place += fmt::format(":{}", finding.line);
  std::string html = fmt::format(
      "<li class=\"finding {0}\"><h3><span class=\"badge {0}\">{0}</span> {1}{2}</h3>\n<p>{3} <code "
      "class=\"soft\">{4}</code></p>\n",
      name(finding.severity), escaped(finding.subject),
      several_hosts && !place.empty() ? " <span class=\"soft\">on " + escaped(place) + "</span>" : "",
      escaped(finding.what), escaped(finding.id));
  if (finding.evidence.empty() && finding.remedy.empty()) return html + "</li>\n";
  html += "<dl>";
  if (!finding.evidence.empty()) html += "<dt>seen</dt><dd>" + escaped(finding.evidence) + "</dd>";
  if (!finding.remedy.empty()) html += "<dt>do</dt><dd class=\"remedy\">" + escaped(finding.remedy) + "</dd>";
  return html + "</dl></li>\n";
}

}  // namespace

Section findings_section(std::span<const Finding> findings, const std::vector<std::string>& hosts) {
  std::array<std::size_t, 3> counts{};
  for (const Finding& finding : findings) ++counts.at(static_cast<std::size_t>(finding.severity));
  Section section{.id = "findings", .title = "Findings", .gist = {}, .html = {}};
  section.gist = findings.empty() ? "nothing found"
                                  : fmt::format("{}, {}, {}", counted(counts[2], "error"),
                                                counted(counts[1], "warning"), counted(counts[0], "note"));
  std::string looked;
  constexpr std::size_t most_hosts = 20;
  for (std::size_t i = 0; i < std::min(hosts.size(), most_hosts); ++i) looked += (i == 0 ? "" : ", ") + hosts[i];
  if (hosts.size() > most_hosts) looked += fmt::format(" and {} more", hosts.size() - most_hosts);
  section.html = fmt::format("<p>{}{}.</p>\n", section.gist, looked.empty() ? "" : " on " + escaped(looked));
  std::vector<Finding> sorted(findings.begin(), findings.end());
  sort_by_severity(sorted);
  constexpr std::size_t most = 500;
  section.html += "<ul class=\"findings\">\n";
  for (std::size_t i = 0; i < std::min(sorted.size(), most); ++i) {
    section.html += item(sorted[i], hosts.size() > 1 || hosts.empty());
  }
  section.html += "</ul>\n";
  if (sorted.size() > most)
    section.html += fmt::format("<p>And {} more, which are not shown.</p>\n", sorted.size() - most);
  if (findings.empty())
    section.html = fmt::format("<p>Nothing was found{}.</p>\n", looked.empty() ? "" : " on " + escaped(looked));
  return section;
}

std::vector<Finding> findings_from_json(std::string_view text, const std::string& name) {
  const auto json = parse_object(text, name, "tutti doctor --format json");
  std::vector<Finding> findings;
  for (const JsonPlace& each : JsonPlace(json, name).list("findings")) {
    Finding finding{.id = each.text("id"),
                    .place = each.text_or("place", ""),
                    .line = static_cast<std::size_t>(std::min(each.number_or("line", 0), 1e12)),
                    .subject = each.text("subject"),
                    .what = each.text("what"),
                    .evidence = each.text_or("evidence", ""),
                    .remedy = each.text_or("remedy", "")};
    const std::string severity = each.text("severity");
    if (severity == "error") {
      finding.severity = Severity::error;
    } else if (severity == "warning") {
      finding.severity = Severity::warning;
    } else if (severity != "note") {
      each.at("severity").wrong("is none of note, warning and error");
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace tutti::report
