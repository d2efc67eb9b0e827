/// @file  The matrix of path classes, laid out as `nvidia-smi topo -m` does.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "topology/cpu_list.hpp"
#include "topology/describe.hpp"
#include "topology/text.hpp"
#include "tutti/topology/write.hpp"

namespace tutti {

namespace {

std::string cpu_affinity(const Topology& topology, const Device& device) {
  if (const auto stated = device.attributes.find("cpu_affinity"); stated != device.attributes.end())
    return stated->second;
  for (const NumaNode& node : topology.hosts()[static_cast<std::size_t>(device.host)].numa_nodes) {
    if (node.index == device.numa_node) return format_cpu_list(node.cpus);
  }
  return "";
}

std::string numa_affinity(const Device& device) {
  if (const auto stated = device.attributes.find("numa_affinity"); stated != device.attributes.end())
    return stated->second;
  return device.numa_node >= 0 ? fmt::format("{}", device.numa_node) : "N/A";
}

std::string host_matrix(const Topology& topology, const std::vector<int>& gpus, const std::vector<int>& nics) {
  auto labels = matrix_labels(topology, gpus, "GPU");
  std::vector<std::string> nic_labels;  // by position: a plugin's numbers may start anywhere
  for (std::size_t i = 0; i < nics.size(); ++i) nic_labels.push_back(fmt::format("NIC{}", i));
  labels.insert(labels.end(), nic_labels.begin(), nic_labels.end());
  std::vector<int> devices = gpus;
  devices.insert(devices.end(), nics.begin(), nics.end());
  std::string text;
  for (const auto& label : labels) text += "\t" + label;
  text += "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  std::set<PathClass> used;
  for (std::size_t row = 0; row < devices.size(); ++row) {
    text += labels[row];
    for (std::size_t column = 0; column < devices.size(); ++column) {
      const Path path = find_path(topology, devices[row], devices[column]);
      used.insert(path.path);
      text += path.path == PathClass::self ? "\t X " : "\t" + path.label();
    }
    if (row < gpus.size()) {
      const Device& gpu = topology.device(devices[row]);
      text += fmt::format("\t{}\t{}\tN/A", cpu_affinity(topology, gpu), numa_affinity(gpu));
    }
    text += '\n';
  }
  text += "\nLegend:\n\n";
  const auto explain = [&](PathClass path, const char* label, const char* what) {
    if (used.contains(path)) text += fmt::format("  {:<4} = {}\n", label, what);
  };
  explain(PathClass::self, "X", "itself");
  explain(PathClass::sys, "SYS", "from NUMA node to NUMA node");
  explain(PathClass::node, "NODE", "several host bridges of one NUMA node");
  explain(PathClass::phb, "PHB", "a host bridge, usually the CPU's");
  explain(PathClass::pxb, "PXB", "several PCI switches, no host bridge");
  explain(PathClass::pix, "PIX", "at most one PCI switch");
  explain(PathClass::xgmi, "XGMI", "XGMI links");
  explain(PathClass::nvlink, "NV#", "# NVLinks");
  explain(PathClass::none, "-", "no way is known");
  if (!nics.empty()) text += "\nNIC Legend:\n\n";
  for (std::size_t i = 0; i < nics.size(); ++i)
    text += fmt::format("  {}: {}\n", nic_labels[i], topology.device(nics[i]).name);
  return text;
}

}  // namespace

std::string to_matrix(const Topology& topology) {
  std::string text;
  const auto all_gpus = topology.all(DeviceKind::gpu);
  const auto all_nics = topology.all(DeviceKind::nic);
  constexpr std::size_t most_hosts = 16;  // beyond these nobody reads it
  constexpr std::size_t most_columns = 512;
  const auto hosts = std::min(topology.hosts().size(), most_hosts);
  for (std::size_t host = 0; host < hosts; ++host) {
    std::vector<int> gpus = all_gpus;
    std::vector<int> nics = all_nics;
    const auto elsewhere = [&](int id) { return topology.device(id).host != static_cast<int>(host); };
    std::erase_if(gpus, elsewhere);
    std::erase_if(nics, elsewhere);
    if (gpus.empty()) continue;  // NICs alone make none worth reading
    if (topology.hosts().size() > 1) text += (text.empty() ? "" : "\n") + topology.hosts()[host].host + ":\n";
    if (gpus.size() + nics.size() > most_columns) {
      text += fmt::format("no matrix of {} GPUs and {} adapters: more than {} columns\n", gpus.size(), nics.size(),
                          most_columns);
      continue;
    }
    text += host_matrix(topology, gpus, nics);
  }
  return printable_lines(std::move(text));
}

}  // namespace tutti
