/// @file  Questions that several rules ask of a snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/snapshot.hpp"

namespace tutti::doctor {

/// PCI ids of NVIDIA GPUs.
std::vector<std::string> gpu_ids(const Snapshot& snapshot);

/// A file of a PCI function: pci(s, "0000:01:00.0", "class").
std::string pci(const Snapshot& snapshot, const std::string& id, std::string_view file);

/// CPUs this process may use; 0: not known.
std::size_t usable_cpus(const Snapshot& snapshot);

/// A line "Name:  value" of /proc/self/status or meminfo → value; empty when there is none.
std::string_view field(std::string_view text, std::string_view name);

/// The soft limit of a line of /proc/self/limits; nothing when there is none; -1: unlimited.
std::optional<long> soft_limit(std::string_view limits, std::string_view name);

/// A port of an InfiniBand or RoCE adapter.
struct Port {
  std::string adapter{};
  std::string number{};
  std::string folder{};  ///< "sys/class/infiniband/mlx5_0/ports/1"
  std::string name() const { return adapter + ":" + number; }
};
std::vector<Port> ports(const Snapshot& snapshot);

/// The last word of a state file: "4: ACTIVE" → "ACTIVE".
std::string state_of(const Snapshot& snapshot, const Port& port);
bool is_roce(const Snapshot& snapshot, const Port& port);
/// "200 Gb/sec (4X HDR)" → 200; 0: not known.
double rate_of(const Snapshot& snapshot, const Port& port);

/// The whole lines of a text.
std::vector<std::string_view> lines_of(std::string_view text);

/// The folder names directly under `folder` that own files in the snapshot: adapters, ports, addresses.
std::vector<std::string> children(const Snapshot& snapshot, const std::string& folder);

}  // namespace tutti::doctor
