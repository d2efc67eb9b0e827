/// @file  InfiniBand: state, rate, errors, firmware and number of ports.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "doctor/rule.hpp"
#include "doctor/view.hpp"

namespace tutti::doctor {

namespace {

void look_at_port(const Snapshot& snapshot, const Port& port, double best, Report& report) {
  const std::string state = state_of(snapshot, port);
  const auto physical = snapshot.text(port.folder + "/phys_state").value_or("");
  if (state == "DOWN") {
    report.found("ib-port-down", port.name(), fmt::format("state {}, physical state {}", state, physical));
  } else if (state == "INIT" || state == "ARMED") {
    report.found("ib-no-manager", port.name(), fmt::format("state {}", state));
  } else if (state == "ACTIVE") {
    const auto text = snapshot.text(port.folder + "/rate").value_or("");
    const bool lanes_lost = text.find("(1X") != std::string_view::npos || text.find("(2X") != std::string_view::npos;
    if (lanes_lost || rate_of(snapshot, port) < best) {
      report.found("ib-rate-low", port.name(),
                   fmt::format("{}; ports of the same adapter model run at {}", text, best));
    }
  }
  for (const char* counter :
       {"symbol_error", "link_downed", "link_error_recovery", "port_rcv_errors", "local_link_integrity_errors"}) {
    const long count = snapshot.number(port.folder + "/counters/" + counter).value_or(0);
    // A link goes down a few times when hosts and switches start.
    const long harmless = std::string_view(counter) == "link_downed"    ? 5
                          : std::string_view(counter) == "symbol_error" ? 10
                                                                        : 0;
    if (count > harmless) report.found("ib-errors", port.name(), fmt::format("{}: {}", counter, count));
  }
}

std::string board(const Snapshot& snapshot, const std::string& adapter) {
  return std::string(snapshot.text("sys/class/infiniband/" + adapter + "/board_id").value_or("unknown"));
}

void look_at_firmware(const Snapshot& snapshot, Report& report) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> by_board;
  for (const std::string& adapter : snapshot.names("sys/class/infiniband")) {
    const auto version = snapshot.text("sys/class/infiniband/" + adapter + "/fw_ver");
    if (version) by_board[board(snapshot, adapter)][std::string(*version)].push_back(adapter);
  }
  for (const auto& [name, versions] : by_board) {
    if (versions.size() < 2) continue;
    std::vector<std::string> parts;
    for (const auto& [version, adapters] : versions)
      parts.push_back(fmt::format("{}: {}", version, fmt::join(adapters, ", ")));
    report.found("ib-firmware-differs", name, fmt::format("{}", fmt::join(parts, "; ")));
  }
}

/// Where adapters and GPUs lie; -1 stands for "not known".
void look_at_distance(const Snapshot& snapshot, const std::vector<std::string>& gpus, Report& report) {
  std::set<long> nodes;
  for (const std::string& adapter : snapshot.names("sys/class/infiniband")) {
    nodes.insert(snapshot.number("sys/class/infiniband/" + adapter + "/device/numa_node").value_or(-1));
  }
  if (nodes.empty() || nodes.count(-1) > 0) return;
  for (const std::string& id : gpus) {
    const long node = snapshot.number("sys/bus/pci/devices/" + id + "/numa_node").value_or(-1);
    if (node >= 0 && nodes.count(node) == 0) {
      report.found("ib-far", "GPU " + id,
                   fmt::format("it lies on NUMA node {}, adapters on {}", node, fmt::join(nodes, ", ")));
    }
  }
}

}  // namespace

void look_at_infiniband(const Snapshot& snapshot, Report& report) {
  const auto all = ports(snapshot);
  if (all.empty()) return;
  std::map<std::string, double> best;  // by board: storage adapters may be slower and are no fault
  for (const Port& port : all) {
    double& rate = best[board(snapshot, port.adapter)];
    if (state_of(snapshot, port) == "ACTIVE") rate = std::max(rate, rate_of(snapshot, port));
  }
  std::set<bool> kinds;
  std::size_t active = 0;
  double top = 0;
  for (const auto& [name, rate] : best) top = std::max(top, rate);
  for (const Port& port : all) {
    look_at_port(snapshot, port, best[board(snapshot, port.adapter)], report);
    if (state_of(snapshot, port) != "ACTIVE") continue;
    kinds.insert(is_roce(snapshot, port));
    active += rate_of(snapshot, port) == top ? 1 : 0;
  }
  const bool chosen = snapshot.environment.count("NCCL_IB_HCA") > 0;
  if (kinds.size() > 1 && !chosen)
    report.found("ib-mixed-links", "adapters", "some ports are InfiniBand, some Ethernet");
  const auto gpus = gpu_ids(snapshot);
  if (gpus.size() > 1 && active > 1 && gpus.size() % active != 0 && active % gpus.size() != 0) {
    report.found("ib-rails-uneven", "rails",
                 fmt::format("{} GPUs, {} active ports at {} Gb/s", gpus.size(), active, top));
  }
  const auto& files = snapshot.names("dev/infiniband");
  const bool usable =
      std::any_of(files.begin(), files.end(), [](const auto& name) { return name.starts_with("uverbs"); });
  if (!usable) report.found("ib-no-device-file", "/dev/infiniband", "no uverbs file in it");
  look_at_firmware(snapshot, report);
  look_at_distance(snapshot, gpus, report);
}

}  // namespace tutti::doctor
