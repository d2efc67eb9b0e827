#include "topology/live.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "topology/reader.hpp"
#include "topology/sysfs_pci.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/read.hpp"

namespace tutti {

namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

/// The host as hwloc tells of it, with what the quick reading knows better: names, and what this process may use.
void complete(HostFacts& host, const HostFacts& facts) {
  host.host = facts.host;
  host.id = facts.id;
  if (!facts.architecture.empty()) host.architecture = facts.architecture;
  if (!facts.allowed_cpus.empty()) host.allowed_cpus = facts.allowed_cpus;
  if (host.cpu_model.empty()) host.cpu_model = facts.cpu_model;
  if (host.memory_bytes == 0) host.memory_bytes = facts.memory_bytes;
}

}  // namespace

std::string hwloc_xml_of_this_machine() {
  hwloc_topology* raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {};
  const std::unique_ptr<hwloc_topology, Destroy> topology(raw);
  // Accelerators are asked through their own libraries; these components would start OpenCL, CUDA or X.
  for (const char* component : {"opencl", "cuda", "nvml", "levelzero", "gl"}) {
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) return {};
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(raw, &text, &length, 0) != 0) return {};
  std::string xml(text, static_cast<std::size_t>(std::max(length - 1, 0)));  // the length counts a final NUL
  hwloc_free_xmlbuffer(raw, text);
  return xml;
}

Topology read_live(const LiveSources& sources) {
  Topology seen = from_host_facts(sources.facts);
  std::string why_not = "hwloc could not look at this machine";
  if (!sources.hwloc_xml.empty()) {
    try {
      seen = hwloc_xml_reader.read(sources.hwloc_xml, "hwloc");
      why_not.clear();
    } catch (const Error& error) {
      why_not = error.reason();
    }
  }
  TopologyParts parts = seen.parts();
  parts.name = sources.facts.host.empty() ? "this machine" : sources.facts.host;
  parts.source = "live";
  if (!why_not.empty()) parts.notes.push_back("PCI devices are not shown: " + why_not);
  complete(parts.hosts.at(0), sources.facts);
  add_sysfs_facts(sources.root, parts);
  if (sources.nvml) nvml::add_gpus(*sources.nvml, parts);
  return Topology(std::move(parts));
}

Topology this_machine() {
  const auto nvml = nvml::library();
  return read_live({.hwloc_xml = hwloc_xml_of_this_machine(), .nvml = nvml.get(), .facts = this_host_facts()});
}

}  // namespace tutti
