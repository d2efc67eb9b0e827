#include <fmt/format.h>

#include <algorithm>

#include "doctor/rule.hpp"
#include "settings/lint.hpp"
#include "settings/read.hpp"
#include "tutti/base/error.hpp"

namespace tutti::doctor {

namespace {

/// Settings of the environment and of /etc/nccl.conf, by the rules of tutti env.
void look_at_settings(const Snapshot& snapshot, Report& report) {
  settings::Settings environment{.who = "environment"};
  for (const auto& [name, value] : snapshot.environment) {
    if (name.starts_with("NCCL_") || name.starts_with("TUTTI_") || name.starts_with("UCX_") ||
        name.starts_with("OMPI_MCA_")) {
      environment.all.push_back({.name = name, .value = value, .place = "environment"});
    }
  }
  settings::Machine machine;
  machine.root = "/nowhere-known";
  for (const std::string& adapter : snapshot.names("sys/class/infiniband")) machine.adapters[adapter] = {};
  machine.interfaces = snapshot.names("sys/class/net");
  const auto add = [&](const settings::Settings& each) {
    for (Finding& finding : settings::lint({&each, 1}, {.machine = &machine})) {
      if (finding.severity == Severity::note || finding.id == "env-file") continue;
      finding.place = fmt::format("{}, {}", snapshot.host, finding.place);
      report.findings.push_back(std::move(finding));
    }
  };
  add(environment);
  if (const auto text = snapshot.text("etc/nccl.conf")) {
    for (const auto& each : settings::read_settings(*text, "/etc/nccl.conf")) add(each);
  }
}

}  // namespace

Finding& Report::found(std::string_view id, std::string subject, std::string evidence) {
  const auto all = rules();
  const auto rule = std::find_if(all.begin(), all.end(), [&](const Rule& each) { return each.id == id; });
  expect(rule != all.end(), Code::internal, "a rule of tutti doctor is not in its table");
  findings.push_back({.id = std::string(id),
                      .severity = rule->severity,
                      .place = host_,
                      .subject = std::move(subject),
                      .what = std::string(rule->what),
                      .evidence = std::move(evidence),
                      .remedy = std::string(rule->remedy)});
  return findings.back();
}

std::vector<Finding> diagnose(std::span<const Snapshot> hosts) {
  std::vector<Finding> all;
  for (const Snapshot& snapshot : hosts) {
    Report report(snapshot.host);
    for (const auto look :
         {look_at_driver, look_at_gpus, look_at_nvlink, look_at_pci, look_at_gpudirect, look_at_infiniband,
          look_at_roce, look_at_limits, look_at_host, look_at_job, look_at_settings}) {
      look(snapshot, report);
    }
    all.insert(all.end(), report.findings.begin(), report.findings.end());
  }
  if (hosts.size() > 1) {
    Report report("all hosts");
    compare_hosts(hosts, report);
    all.insert(all.end(), report.findings.begin(), report.findings.end());
  }
  sort_by_severity(all);
  return all;
}

}  // namespace tutti::doctor
