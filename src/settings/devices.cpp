#include "settings/devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "base/nearest.hpp"
#include "settings/value.hpp"

namespace tutti::settings {

namespace {

/// "[^][=]name,…" as NCCL reads it.
struct NameList {
  bool excludes = false;
  bool exact = false;
  std::vector<std::string_view> names{};
};

NameList parse_list(std::string_view text) {
  NameList list;
  if (text.starts_with('^')) {
    list.excludes = true;
    text.remove_prefix(1);
  }
  if (text.starts_with('=')) {
    list.exact = true;
    text.remove_prefix(1);
  }
  list.names = parts_of(text, ',');
  return list;
}

std::vector<std::string_view> names_of(const std::map<std::string, std::vector<int>>& adapters) {
  std::vector<std::string_view> names;
  for (const auto& [name, ports] : adapters) names.emplace_back(name);
  return names;
}

Finding missing(const std::string& what, std::string_view name, const std::vector<std::string_view>& there,
                bool all_missing) {
  Finding finding{.id = "env-device", .severity = all_missing ? Severity::error : Severity::warning};
  finding.what = fmt::format("there is no {} {}", what, name);
  if (there.empty()) {
    finding.evidence = fmt::format("this machine has no {} at all", what);
    finding.remedy = "unset it here, or look on the machine that the job runs on";
  } else {
    finding.evidence = fmt::format("there are {}", fmt::join(there, ", "));
    finding.remedy = fmt::format("did you mean {}?", nearest(name, there));
  }
  return finding;
}

/// Adapter names with ports: "mlx5_0:1".
std::optional<Finding> check_adapters(std::string_view value, const Machine& machine) {
  const NameList list = parse_list(value);
  std::vector<std::string_view> unmatched;
  for (const auto part : list.names) {
    const auto fields = parts_of(part, ':');
    if (fields.empty()) continue;
    const std::string_view name = fields.front();
    const long port = fields.size() > 1 ? whole_number(fields[1]).value_or(-1) : -1;
    bool there = false;
    for (const auto& [adapter, ports] : machine.adapters) {
      if (list.exact ? adapter != name : !adapter.starts_with(name)) continue;
      there = there || port < 0 || ports.empty() || std::find(ports.begin(), ports.end(), port) != ports.end();
    }
    if (!there) unmatched.push_back(part);
  }
  if (unmatched.empty()) return {};
  Finding finding = missing("InfiniBand adapter", unmatched.front(), names_of(machine.adapters),
                            !list.excludes && unmatched.size() == list.names.size());
  if (list.excludes) finding.what += ", so nothing is left out by it";
  return finding;
}

std::optional<Finding> check_interfaces(std::string_view value, const Machine& machine) {
  const NameList list = parse_list(value);
  std::vector<std::string_view> unmatched;
  for (const auto name : list.names) {
    if (name.find('/') != std::string_view::npos) continue;  // Open MPI takes ranges of addresses too
    const bool there = std::any_of(machine.interfaces.begin(), machine.interfaces.end(), [&](const std::string& each) {
      return list.exact ? each == name : each.starts_with(name);
    });
    if (!there) unmatched.push_back(name);
  }
  if (unmatched.empty()) return {};
  const std::vector<std::string_view> there(machine.interfaces.begin(), machine.interfaces.end());
  Finding finding =
      missing("network interface", unmatched.front(), there, !list.excludes && unmatched.size() == list.names.size());
  if (list.excludes) finding.what += ", so nothing is left out by it";
  return finding;
}

/// UCX takes both kinds: "mlx5_0:1,eth0", or "all".
std::optional<Finding> check_either(std::string_view value, const Machine& machine) {
  if (value == "all") return {};
  const auto parts = parts_of(value.starts_with('^') ? value.substr(1) : value, ',');
  std::vector<std::string_view> unmatched;
  for (const auto part : parts) {
    const std::string_view name = part.substr(0, part.find(':'));
    const bool interface =
        std::find(machine.interfaces.begin(), machine.interfaces.end(), name) != machine.interfaces.end();
    if (!interface && machine.adapters.count(std::string(name)) == 0) unmatched.push_back(part);
  }
  if (unmatched.empty()) return {};
  auto there = names_of(machine.adapters);
  there.insert(there.end(), machine.interfaces.begin(), machine.interfaces.end());
  return missing("adapter or interface", unmatched.front(), there, unmatched.size() == parts.size());
}

std::optional<Finding> check_file(const Variable& variable, const std::string& value, const Machine& machine) {
  const std::filesystem::path path(value);
  if (!path.is_absolute()) return {};  // it depends on where the job runs
  std::error_code ignored;
  const auto here = machine.root / path.relative_path();
  const bool output = variable.kind == "output";
  if (std::filesystem::exists(output ? here.parent_path() : here, ignored)) return {};
  return Finding{.id = "env-file",
                 .severity = Severity::error,
                 .what = output ? fmt::format("the folder of {} does not exist", value)
                                : fmt::format("the file {} does not exist", value),
                 .remedy = fmt::format("correct the path, or unset {}", variable.name)};
}

}  // namespace

std::optional<Finding> check_devices(const Variable& variable, const Setting& setting, const Machine& machine) {
  if (setting.value.empty()) return {};
  if (variable.kind == "adapters") return check_adapters(setting.value, machine);
  if (variable.kind == "interfaces") return check_interfaces(setting.value, machine);
  if (variable.kind == "devices") return check_either(setting.value, machine);
  if (variable.kind == "path" || variable.kind == "output") return check_file(variable, setting.value, machine);
  return {};
}

}  // namespace tutti::settings
