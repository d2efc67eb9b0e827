#include "settings/lint.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/nearest.hpp"
#include "settings/database.hpp"
#include "settings/devices.hpp"
#include "settings/effect.hpp"
#include "settings/ranks.hpp"
#include "settings/value.hpp"

namespace tutti::settings {

namespace {

class Linter {
 public:
  Linter(const Settings& settings, const LintOptions& options) : settings_(settings), options_(options) {}

  std::vector<Finding> findings() {
    for (const Setting& setting : settings_.all) look_at(setting);
    for (auto& finding : find_repetitions(settings_)) findings_.push_back(std::move(finding));
    for (auto& finding : find_without_effect(settings_)) add_at_setting(std::move(finding));
    for (auto& finding : find_contradictions(settings_)) add_at_setting(std::move(finding));
    return std::move(findings_);
  }

 private:
  void add(const Setting& setting, Finding finding) {
    finding.place = setting.place;
    finding.line = setting.line;
    finding.subject = fmt::format("{}={}", setting.name, shown_value(setting.name, setting.value));
    findings_.push_back(std::move(finding));
  }

  /// Findings about several settings know only the name.
  void add_at_setting(Finding finding) {
    for (auto setting = settings_.all.rbegin(); setting != settings_.all.rend(); ++setting) {
      if (setting->name == finding.subject) return add(*setting, std::move(finding));
    }
    findings_.push_back(std::move(finding));
  }

  void look_at(const Setting& setting) {
    if (const auto mended = mended_prefix(setting.name)) return misspelt(setting, *Database::all().find(*mended), 1);
    const Variable* variable = Database::all().find(setting.name);
    if (!setting.cut.empty()) cut(setting);
    if (variable == nullptr || variable->is_family()) {
      const auto guess = Database::all().nearest(setting.name);
      const bool slip = variable == nullptr || (variable->status == Status::read && guess.distance == 1);
      if (guess.variable != nullptr && slip) return misspelt(setting, *guess.variable, guess.distance);
    }
    if (variable == nullptr) return unknown(setting);
    switch (variable->status) {
      case Status::never:
        return never(setting, *variable);
      case Status::foreign:
        return foreign(setting, *variable);
      case Status::removed:
        return removed(setting, *variable);
      case Status::deprecated:
        deprecated(setting, *variable);
        break;
      case Status::read:
        break;
    }
    if (variable->owner == "NCCL" && variable->since > options_.nccl) return too_new(setting, *variable);
    if (variable->owner == "Open MPI" && !variable->instead.empty()) since_open_mpi_5(setting, *variable);
    value(setting, *variable);
  }

  void misspelt(const Setting& setting, const Variable& meant, std::size_t distance) {
    std::string remedy = fmt::format("{}={}", meant.name, shown_value(meant.name, setting.value));
    if (!setting.is_open()) {
      if (auto fault = check_value(meant, setting.value, options_.nccl)) {
        remedy = fmt::format("{}; and {}", meant.name, fault->what);
      } else if (const auto sense = explain_value(meant, setting.value, settings_)) {
        remedy += fmt::format(" ({})", *sense);
      }
    }
    add(setting, {.id = "env-misspelt",
                  .severity = Severity::error,
                  .what = fmt::format("nobody reads it; did you mean {}?", meant.name),
                  .evidence = fmt::format("{} letter{} apart from a setting of {}: {}", distance,
                                          distance == 1 ? "" : "s", meant.owner, meant.meaning),
                  .remedy = std::move(remedy)});
  }

  void unknown(const Setting& setting) {
    const bool nccl = setting.name.starts_with("NCCL_");
    const bool own = setting.name.starts_with("TUTTI_");
    Finding finding{.id = "env-unknown", .severity = Severity::note};
    if (own) finding.severity = Severity::error;
    if (nccl) finding.severity = Severity::warning;
    finding.what = own    ? "tutti has no such setting, and refuses to start with it"
                   : nccl ? fmt::format("no NCCL up to {} reads it, nor a plug-in that is known", format(newest_nccl))
                          : "it is not in the table; it may be right all the same";
    finding.remedy = own || nccl                             ? fmt::format("unset {}", setting.name)
                     : setting.name.starts_with("OMPI_MCA_") ? "ompi_info --all lists what there is"
                                                             : "ucx_info -cf lists what there is";
    add(setting, std::move(finding));
  }

  void never(const Setting& setting, const Variable& variable) {
    std::string remedy(variable.instead);
    if (setting.name == "NCCL_TOPO") remedy = instead_of_topo(setting.value);
    // A single name can take the value over.
    const Variable* other = Database::all().find(variable.instead);
    if (other != nullptr && !other->is_family()) {
      remedy = fmt::format("{}={}", other->name, setting.value);
      if (auto fault = check_value(*other, setting.value, options_.nccl)) remedy = fault->remedy;
    }
    add(setting, {.id = "env-never-read",
                  .severity = Severity::error,
                  .what = fmt::format("no NCCL 2 ever read it: {}", variable.meaning),
                  .remedy = std::move(remedy)});
  }

  static std::string instead_of_topo(const std::string& value) {
    for (const std::string_view algorithm :
         {"Ring", "Tree", "NVLS", "NVLSTree", "CollNetDirect", "CollNetChain", "PAT"}) {
      if (!same_word(value, algorithm)) continue;
      return fmt::format(
          "NCCL_ALGO={} chooses the algorithm; a machine's topology is described by "
          "NCCL_TOPO_FILE=machine.xml",
          algorithm);
    }
    if (value.ends_with(".xml")) return fmt::format("NCCL_TOPO_FILE={}", value);
    return "NCCL_ALGO=Ring or NCCL_ALGO=Tree chooses the algorithm, NCCL_TOPO_FILE=machine.xml describes the machine";
  }

  void foreign(const Setting& setting, const Variable& variable) {
    const bool renamed = !variable.instead.empty();
    add(setting, {.id = "env-foreign",
                  .severity = renamed ? Severity::warning : Severity::note,
                  .what = fmt::format("NCCL does not read it; it belongs to {}: {}", variable.owner, variable.meaning),
                  .remedy = renamed ? fmt::format("{}={}", variable.instead, setting.value) : ""});
  }

  void removed(const Setting& setting, const Variable& variable) {
    if (options_.nccl <= variable.until && options_.nccl >= variable.since) return;
    add(setting, {.id = "env-removed",
                  .severity = Severity::error,
                  .what = fmt::format("NCCL {} does not read it; the last that did is {}: {}", format(options_.nccl),
                                      format(variable.until), variable.meaning),
                  .remedy = variable.instead.empty() ? fmt::format("unset {}", variable.name)
                                                     : fmt::format("{}, or nothing", variable.instead)});
  }

  void deprecated(const Setting& setting, const Variable& variable) {
    const bool dated = variable.deprecated != Version{};
    if (dated && options_.nccl < variable.deprecated) return;
    const bool whole = variable.instead.find('=') != std::string_view::npos;
    add(setting,
        {.id = "env-deprecated",
         .severity = Severity::warning,
         .what = dated ? fmt::format("deprecated since NCCL {}", format(variable.deprecated))
                       : "an old name that is still read",
         .remedy = whole ? std::string(variable.instead) : fmt::format("{}={}", variable.instead, setting.value)});
  }

  void too_new(const Setting& setting, const Variable& variable) {
    add(setting,
        {.id = "env-too-new",
         .severity = Severity::error,
         .what = fmt::format("NCCL reads it from {} on, and this is {}", format(variable.since), format(options_.nccl)),
         .remedy = fmt::format("a newer NCCL, or unset {}", variable.name)});
  }

  void since_open_mpi_5(const Setting& setting, const Variable& variable) {
    add(setting, {.id = "env-open-mpi-5",
                  .severity = Severity::note,
                  .what = fmt::format("Open MPI 4 reads it; from Open MPI 5 on {}", variable.instead)});
  }

  void cut(const Setting& setting) {
    add(setting, {.id = "env-cut",
                  .severity = Severity::error,
                  .what = fmt::format("Slurm's --export cuts at commas: only \"{}\" arrives", setting.value),
                  .evidence = fmt::format("\"{}\" follows", setting.cut),
                  .remedy = fmt::format("export {}={},{} before srun, and --export=ALL", setting.name, setting.value,
                                        setting.cut)});
  }

  void value(const Setting& setting, const Variable& variable) {
    if (setting.is_open()) return;
    if (auto fault = check_value(variable, setting.value, options_.nccl)) return add(setting, *std::move(fault));
    if (options_.machine != nullptr) {
      if (auto fault = check_devices(variable, setting, *options_.machine)) return add(setting, *std::move(fault));
    }
    if (auto sense = explain_value(variable, setting.value, settings_)) {
      add(setting, {.id = "env-meaning", .severity = Severity::note, .what = *std::move(sense)});
    }
  }

  const Settings& settings_;
  const LintOptions& options_;
  std::vector<Finding> findings_{};
};

}  // namespace

std::vector<Finding> lint(std::span<const Settings> ranks, const LintOptions& options) {
  // What is wrong on all ranks is said once.
  std::vector<Finding> all;
  std::map<std::pair<std::string, std::string>, std::size_t> said;
  for (const Settings& settings : ranks) {
    for (Finding& finding : Linter(settings, options).findings()) {
      const auto [at, is_new] = said.emplace(std::pair{finding.id, finding.subject}, all.size());
      if (is_new) {
        if (ranks.size() > 1) finding.place = finding.place == settings.who ? finding.place : settings.who;
        all.push_back(std::move(finding));
      }
    }
  }
  for (Finding& finding : find_differences(ranks)) all.push_back(std::move(finding));
  sort_by_severity(all);
  return all;
}

}  // namespace tutti::settings
