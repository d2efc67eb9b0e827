#include "tutti/topology/binding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "topology/cpu_list.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

std::vector<int> gpus_of(const Topology& topology, int host) {
  std::vector<int> gpus = topology.all(DeviceKind::gpu);
  std::erase_if(gpus, [&](int gpu) { return topology.device(gpu).host != host; });
  return gpus;
}

int visible_gpu(const Topology& topology, const std::vector<int>& gpus, const std::string& entry) {
  for (const int id : gpus) {
    const Device& gpu = topology.device(id);
    const auto uuid = gpu.attributes.find("uuid");
    if (uuid != gpu.attributes.end() && !entry.empty() && uuid->second.starts_with(entry)) return id;
    int number = -1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
    if (error == std::errc{} && end == entry.data() + entry.size() && number == gpu.index) return id;
  }
  throw Error(Code::invalid_argument,
              fmt::format("CUDA_VISIBLE_DEVICES lists '{}', which is none of the {} GPUs of {}", shown(entry, 60),
                          gpus.size(), topology.name()),
              {.remedy = "`tutti topology` lists them"});
}

int gpu_for(const Topology& topology, const std::vector<int>& gpus, int local_rank,
            const std::optional<std::vector<std::string>>& visible) {
  if (gpus.empty() || (visible && visible->empty())) return -1;
  if (!visible) return gpus[static_cast<std::size_t>(local_rank) % gpus.size()];
  if (visible->size() == 1) return visible_gpu(topology, gpus, visible->front());
  if (static_cast<std::size_t>(local_rank) >= visible->size()) {
    throw Error(Code::invalid_argument,
                fmt::format("local rank {} needs a GPU of its own, and CUDA_VISIBLE_DEVICES lists {}", local_rank,
                            visible->size()),
                {.remedy = "start fewer ranks on this host, or let it list more"});
  }
  return visible_gpu(topology, gpus, (*visible)[static_cast<std::size_t>(local_rank)]);
}

/// The NUMA node of a device: its own, else that of the processors that its tree hangs on.
int numa_of(const Topology& topology, int id) {
  for (int at = id; at >= 0; at = topology.parent(at)) {
    if (topology.device(at).numa_node >= 0) return topology.device(at).numa_node;
  }
  return -1;
}

const NumaNode* node_numbered(const HostFacts& host, int index) {
  const auto found = std::find_if(host.numa_nodes.begin(), host.numa_nodes.end(),
                                  [&](const NumaNode& node) { return node.index == index; });
  return found == host.numa_nodes.end() ? nullptr : &*found;
}

void rate_adapters(const Topology& topology, const std::vector<int>& gpus, Binding& binding) {
  const auto nearest = nearest_nics(topology, binding.gpu);
  binding.nics = nearest.nics;
  binding.to_nic = nearest.path;
  if (nearest.nics.empty()) return;
  double rate = 0;
  for (const int nic : nearest.nics) rate = std::max(rate, port_speed(topology.device(nic)).value);
  std::size_t sharing = 0;
  for (const int other : gpus) sharing += nearest_nics(topology, other).nics == nearest.nics;
  const double adapters =
      static_cast<double>(nearest.nics.size()) / static_cast<double>(std::max(sharing, std::size_t{1}));
  const double reached = nearest.bandwidth.value;
  if (rate > 0) binding.score = 100 * std::min(1.0, reached / rate) * std::min(1.0, adapters);
}

std::string reason(const Topology& topology, const Binding& binding, const std::vector<int>& gpus) {
  std::vector<std::string> names;
  for (const int nic : binding.nics) names.push_back(topology.device(nic).name);
  const auto place = binding.numa_node >= 0 ? fmt::format("NUMA node {}", binding.numa_node) : "an unknown NUMA node";
  if (binding.gpu < 0)
    return fmt::format("no GPU; {}{}", place, names.empty() ? "" : fmt::format(", adapters {}", fmt::join(names, " ")));
  auto text = fmt::format("{} is on {}", topology.device(binding.gpu).name, place);
  if (names.empty()) return text + "; no adapter";
  std::size_t sharing = 0;
  for (const int other : gpus) sharing += nearest_nics(topology, other).nics == binding.nics;
  text += fmt::format("; {} {} {} away", fmt::join(names, " "), names.size() == 1 ? "is" : "are", name(binding.to_nic));
  if (sharing > 1) text += fmt::format(", shared by {} GPUs", sharing);
  return text;
}

}  // namespace

Binding bind_rank(const Topology& topology, int host, int local_rank, int local_size,
                  const std::optional<std::vector<std::string>>& visible) {
  if (local_rank < 0 || local_rank >= local_size) {
    throw Error(Code::invalid_argument,
                fmt::format("local rank {} is not below {}, the number of ranks", local_rank, local_size),
                {.remedy = "ranks count from 0; correct one of the two"});
  }
  const HostFacts& facts = topology.hosts()[static_cast<std::size_t>(host)];
  const auto gpus = gpus_of(topology, host);
  Binding binding{.gpu = gpu_for(topology, gpus, local_rank, visible)};
  if (binding.gpu >= 0) {
    binding.numa_node = numa_of(topology, binding.gpu);
    rate_adapters(topology, gpus, binding);
  } else {
    std::vector<int> nodes;
    for (const NumaNode& node : facts.numa_nodes) {
      if (!node.cpus.empty()) nodes.push_back(node.index);
    }
    if (!nodes.empty()) {
      const auto at =
          static_cast<std::size_t>(local_rank) * nodes.size() / static_cast<std::size_t>(std::max(local_size, 1));
      binding.numa_node = nodes[std::min(at, nodes.size() - 1)];
    }
    for (const int id : topology.devices_of(host)) {
      if (topology.device(id).kind == DeviceKind::nic && numa_of(topology, id) == binding.numa_node)
        binding.nics.push_back(id);
    }
  }
  if (const NumaNode* node = node_numbered(facts, binding.numa_node)) binding.cpus = node->cpus;
  binding.why = reason(topology, binding, gpus);
  return binding;
}

std::string adapters_for_nccl(const Topology& topology, const Binding& binding) {
  std::vector<std::string> names;
  for (const int id : binding.nics) {
    const Device& nic = topology.device(id);
    // Ethernet interfaces without RDMA have names and addresses of their own, and no GUID or port.
    const auto has = [&](const char* key) { return nic.attributes.contains(key); };
    if (has("port") || has("guid") || nic.name.starts_with("mlx")) names.push_back(nic.name);
  }
  return names.empty() ? std::string{} : fmt::format("={}", fmt::join(names, ","));
}

}  // namespace tutti
