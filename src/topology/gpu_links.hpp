/// @file  GPU links known by the far end's bus id, as NCCL XML and the driver name them, resolved once all devices are
/// there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

class GpuLinks {
 public:
  /// Adds to `parts`, which outlives this.
  explicit GpuLinks(TopologyParts& parts) : parts_(parts) {}

  struct Entry {
    int gpu = 0;
    int cpu = 0;  ///< at the top of its tree
    std::string target{};
    std::string target_class{};
    int count = 1;
    LinkKind kind = LinkKind::nvlink;
    std::string where{};  ///< for notes: "line 12"
  };
  void gpu_link(Entry entry) { entries_.push_back(std::move(entry)); }

  /// CPU to GPU over `count` links of `megabytes` per second each.
  void chip_link(int cpu, int gpu, int megabytes, int count);

  /// Switch to switch.
  void peer(int from, std::string target) { peers_.emplace_back(from, std::move(target)); }

  /// Adds all links, and the NVSwitches that the links name but no element lists. Call once, when all devices are
  /// in the parts.
  void resolve();

 private:
  void resolve_between_gpus(const std::vector<std::pair<int, const Entry*>>& targets);
  int device_at(int host, const std::string& target) const;
  int nv_switch(const Entry& entry);
  Link link_of(const Entry& entry, int to, int count) const;

  TopologyParts& parts_;
  std::vector<Entry> entries_;
  std::vector<std::pair<int, std::string>> peers_;
  std::map<std::uint64_t, std::vector<int>> by_bus_;
  std::map<std::string, int> switches_;
};

}  // namespace tutti
