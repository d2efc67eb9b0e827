#include "doctor/log_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "doctor/log_causes.hpp"
#include "doctor/sign_search.hpp"
#include "settings/lint.hpp"
#include "settings/version.hpp"
#include "topology/text.hpp"

namespace tutti::doctor {

namespace {

const Cause* cause_of(const NcclLogLine& line) {
  static const SignSearch search(log_causes());
  return search.first(line.text, !line.host.empty(), line.level == "WARN");
}

std::string speaker(const NcclLogLine& line) {
  std::string text = line.rank >= 0 ? fmt::format("rank {}", line.rank) : "a rank";
  if (line.host.empty()) return text;
  text += fmt::format(" on {}, process {}", line.host, line.pid);
  if (line.device >= 0) text += fmt::format(", GPU {}", line.device);
  return text;
}

std::string numbered(std::string_view remedies) {
  std::string text;
  for (int number = 1; !remedies.empty(); ++number) {
    const auto bar = std::min(remedies.find('|'), remedies.size());
    text += fmt::format("{}({}) {}", number == 1 ? "" : "; ", number, remedies.substr(0, bar));
    remedies.remove_prefix(std::min(bar + 1, remedies.size()));
  }
  return text;
}

/// A cause with all lines that bear its sign.
struct Symptom {
  const Cause* cause = nullptr;
  const NcclLogLine* first = nullptr;
  std::set<int> others{};  ///< ranks besides the first
};

/// By the clock where both have one, as files are often put together host by host.
bool is_earlier(const NcclLogLine& a, const NcclLogLine& b) {
  if (!a.time.empty() && !b.time.empty() && a.time.size() == b.time.size() && a.time != b.time) return a.time < b.time;
  return a.number < b.number;
}

std::vector<Symptom> find_symptoms(std::span<const NcclLogLine> lines) {
  std::map<const Cause*, Symptom> symptoms;
  for (const NcclLogLine& line : lines) {
    const Cause* cause = cause_of(line);
    if (cause == nullptr) continue;
    Symptom& symptom = symptoms[cause];
    symptom.cause = cause;
    if (symptom.first == nullptr || is_earlier(line, *symptom.first)) {
      if (symptom.first != nullptr) symptom.others.insert(symptom.first->rank);
      symptom.first = &line;
    } else {
      symptom.others.insert(line.rank);
    }
  }
  std::vector<Symptom> list;
  for (auto& [cause, symptom] : symptoms) {
    symptom.others.erase(symptom.first->rank);
    symptom.others.erase(-1);
    list.push_back(std::move(symptom));
  }
  // What ended the job comes first: the earliest error that follows from no other, else the earliest that does.
  const auto weight = [](const Symptom& s) {
    return s.cause->severity != Severity::error ? 2 : s.cause->consequence ? 1 : 0;
  };
  std::sort(list.begin(), list.end(), [&](const Symptom& a, const Symptom& b) {
    if (weight(a) != weight(b)) return weight(a) < weight(b);
    return is_earlier(*a.first, *b.first);
  });
  return list;
}

Finding finding_of(const Symptom& symptom, const std::string& file, const LogFacts& facts) {
  const NcclLogLine& line = *symptom.first;
  Finding finding{.id = std::string(symptom.cause->id),
                  .severity = symptom.cause->severity,
                  .place = file,
                  .line = line.number,
                  .subject = speaker(line),
                  .what = std::string(symptom.cause->what),
                  .evidence = shown(line.text, 300),
                  .remedy = numbered(symptom.cause->remedies)};
  if (const auto better = decode_ib_error(line.text, facts)) finding.what = *better;
  if (symptom.cause->consequence) finding.what += " (this follows from something else)";
  if (!symptom.others.empty()) {
    std::vector<int> some(symptom.others.begin(), symptom.others.end());
    const std::size_t more = some.size() > 8 ? some.size() - 8 : 0;
    some.resize(some.size() - more);
    finding.what += fmt::format("; later on rank{} {}{} too", some.size() > 1 ? "s" : "", fmt::join(some, ", "),
                                more > 0 ? fmt::format(" and {} more", more) : "");
  }
  return finding;
}

/// What is wrong with the settings that the log shows.
std::vector<Finding> findings_of_settings(const LogFacts& facts, const std::string& file) {
  std::vector<settings::Settings> ranks;
  for (const auto& [rank, each] : facts.settings) {
    settings::Settings one{.who = rank < 0 ? file : fmt::format("rank {}", rank)};
    for (const LogSetting& setting : each) {
      one.all.push_back({.name = setting.name, .value = setting.value, .place = file, .line = setting.line});
    }
    ranks.push_back(std::move(one));
  }
  settings::LintOptions options;
  if (!facts.versions.empty()) {
    if (const auto version = settings::parse_version(*facts.versions.begin())) options.nccl = *version;
  }
  auto findings = settings::lint(ranks, options);
  // Not every rank prints every setting, and notes explain what works.
  std::erase_if(findings, [](const Finding& f) { return f.id == "env-ranks-differ" || f.severity == Severity::note; });
  return findings;
}

}  // namespace

LogReport read_log(std::string_view text, const std::string& name) {
  const auto lines = nccl_log_lines(text);
  const LogFacts facts = read_log_facts(lines);
  LogReport report{.story = tell(facts), .any_line = facts.nccl_lines > 0};
  const auto symptoms = find_symptoms(lines);
  for (const Symptom& symptom : symptoms) report.findings.push_back(finding_of(symptom, name, facts));
  report.failed = !report.findings.empty() && report.findings.front().severity == Severity::error;
  auto rest = findings_of_facts(facts);
  for (Finding& finding : rest) finding.place = name;
  for (Finding& finding : findings_of_settings(facts, name)) rest.push_back(std::move(finding));
  sort_by_severity(rest);
  // A setting that is wrong is a better explanation than a warning, not than the error that ended the job.
  const auto at = std::find_if(report.findings.begin(), report.findings.end(),
                               [](const Finding& finding) { return finding.severity != Severity::error; });
  report.findings.insert(at, std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  return report;
}

}  // namespace tutti::doctor
