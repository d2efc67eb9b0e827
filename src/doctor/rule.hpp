/// @file  Rule: one thing that tutti doctor looks for; and Report, which collects what its rules found.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "doctor/snapshot.hpp"

namespace tutti::doctor {

struct Rule {
  std::string_view id{};
  Severity severity = Severity::warning;
  std::string_view what{};    ///< a sentence about the machine
  std::string_view remedy{};  ///< exactly what to do
};

/// All of them, as docs/doctor.md lists them.
std::span<const Rule> rules();

class Report {
 public:
  explicit Report(std::string host) : host_(std::move(host)) {}

  /// A finding by the rule `id`, which must exist; the reference may be used to change severity or words.
  Finding& found(std::string_view id, std::string subject, std::string evidence);

  std::vector<Finding> findings{};

 private:
  std::string host_;
};

/// What each looks for is in the table under its ids; all are functions of the snapshot alone.
void look_at_driver(const Snapshot& snapshot, Report& report);
void look_at_gpus(const Snapshot& snapshot, Report& report);
void look_at_nvlink(const Snapshot& snapshot, Report& report);
void look_at_pci(const Snapshot& snapshot, Report& report);
void look_at_gpudirect(const Snapshot& snapshot, Report& report);
void look_at_infiniband(const Snapshot& snapshot, Report& report);
void look_at_roce(const Snapshot& snapshot, Report& report);
void look_at_limits(const Snapshot& snapshot, Report& report);
void look_at_host(const Snapshot& snapshot, Report& report);
void look_at_job(const Snapshot& snapshot, Report& report);

/// What is not the same on all hosts and should be.
void compare_hosts(std::span<const Snapshot> hosts, Report& report);

/// Everything about one host or several, the worst first.
std::vector<Finding> diagnose(std::span<const Snapshot> hosts);

}  // namespace tutti::doctor
