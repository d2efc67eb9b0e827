/// @file  How processes are placed: binding, counts of ranks, Slurm and MPI.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "doctor/rule.hpp"
#include "doctor/view.hpp"
#include "settings/value.hpp"
#include "topology/cpu_list.hpp"

namespace tutti::doctor {

namespace {

std::optional<long> variable(const Snapshot& snapshot, const char* name) {
  const auto found = snapshot.environment.find(name);
  if (found == snapshot.environment.end()) return {};
  return settings::whole_number(std::string_view(found->second).substr(0, found->second.find('(')));
}

/// Online CPUs, whatever this process may use.
std::size_t online_cpus(const Snapshot& snapshot) {
  const auto online = parse_cpu_list(snapshot.text("sys/devices/system/cpu/online").value_or(""));
  return online ? online->size() : 0;
}

/// One process: where it may run, against where the GPUs are.
void look_at_process(const Snapshot& snapshot, const std::string& who, std::string_view status, Report& report) {
  const auto allowed = parse_cpu_list(field(status, "Cpus_allowed_list"));
  if (!allowed || allowed->empty()) return;
  if (allowed->size() == 1 && online_cpus(snapshot) > 1) {
    report.found("bound-to-one-cpu", who, fmt::format("CPU {} of {}", allowed->front(), online_cpus(snapshot)));
  }
  std::set<int> near;
  for (const std::string& id : gpu_ids(snapshot)) {
    const auto cpus = parse_cpu_list(pci(snapshot, id, "local_cpulist"));
    if (cpus) near.insert(cpus->begin(), cpus->end());
  }
  const bool meets = std::any_of(allowed->begin(), allowed->end(), [&](int cpu) { return near.count(cpu) > 0; });
  if (near.empty() || meets) return;
  const std::string wanted = format_cpu_list({near.begin(), near.end()});
  report.found("bound-far", who, fmt::format("it may run on {}, GPUs are near {}", format_cpu_list(*allowed), wanted));
}

}  // namespace

void look_at_job(const Snapshot& snapshot, Report& report) {
  look_at_process(snapshot, "this process", snapshot.text("proc/self/status").value_or(""), report);
  for (const auto& [fact, libraries] : snapshot.facts) {
    if (!fact.starts_with("libraries/")) continue;
    const std::string pid = fact.substr(10);
    const auto status = snapshot.text("proc/" + pid + "/status").value_or("");
    const bool gpu = libraries.find("libcuda") != std::string::npos || libraries.find("libnccl") != std::string::npos;
    if (gpu) look_at_process(snapshot, fmt::format("process {} ({})", pid, field(status, "Name")), status, report);
  }
  auto ranks = variable(snapshot, "OMPI_COMM_WORLD_LOCAL_SIZE");
  if (!ranks) ranks = variable(snapshot, "SLURM_NTASKS_PER_NODE");
  const std::size_t cpus = online_cpus(snapshot);
  if (ranks && cpus > 0 && *ranks > static_cast<long>(cpus)) {
    report.found("oversubscribed", "ranks", fmt::format("{} ranks, {} CPUs", *ranks, cpus));
  }
  const std::size_t gpus = gpu_ids(snapshot).size();
  if (ranks && gpus > 0 && *ranks > static_cast<long>(gpus)) {
    report.found("ranks-exceed-gpus", "ranks", fmt::format("{} ranks, {} GPUs", *ranks, gpus));
  }
  if (variable(snapshot, "SLURM_CPUS_PER_TASK").value_or(2) == 1 && gpus > 0) {
    report.found("slurm-one-cpu", "Slurm", "SLURM_CPUS_PER_TASK=1");
  }
}

}  // namespace tutti::doctor
