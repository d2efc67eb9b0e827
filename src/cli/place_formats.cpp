#include "cli/place_formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "topology/cpu_list.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

using plan::JobPlacement;

const Topology& machine(const Cluster& cluster, std::size_t kind) { return cluster.groups()[kind].topology; }

[[noreturn]] void nothing_known(const char* what) {
  throw Error(Code::unsupported,
              fmt::format("{} needs the processors of the nodes, and only the wiring is known", what),
              {.remedy = "describe the machine, or use --format hostfile"});
}

/// One hexadecimal number, as srun takes masks.
std::string hex_mask(const std::vector<int>& cpus) {
  std::vector<unsigned> digits(1);
  for (const int cpu : cpus) {
    const auto at = static_cast<std::size_t>(cpu / 4);
    if (at >= digits.size()) digits.resize(at + 1);
    digits[at] |= 1U << (cpu % 4);
  }
  std::string text;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) text += fmt::format("{:x}", *digit);
  return "0x" + text;
}

std::string gpu_name(const Topology& topology, const Binding& binding) {
  return binding.gpu >= 0 ? topology.device(binding.gpu).name : "–";
}

std::string ranks_of(const JobPlacement& placement, std::size_t first, std::size_t last, int local) {
  const auto number = [&](std::size_t node) {
    return static_cast<std::int64_t>(node) * placement.ranks_per_node + local;
  };
  if (first == last) return fmt::format("{}", number(first));
  return fmt::format("{},{}…{}", number(first), number(first + 1), number(last));
}

}  // namespace

std::string place_text(const Cluster& cluster, const JobPlacement& placement) {
  std::string text = fmt::format("{}: {} ranks, {} on each of {} nodes\n", cluster.name(), placement.ranks(),
                                 placement.ranks_per_node, placement.nodes.size());
  for (std::size_t first = 0; first < placement.nodes.size();) {
    std::size_t last = first;
    const int kind = placement.kind_of_node[first];
    while (last + 1 < placement.nodes.size() && placement.kind_of_node[last + 1] == kind) ++last;
    text += fmt::format("\n{}{}\n", placement.hosts[first],
                        last > first ? fmt::format(" … {}", placement.hosts[last]) : "");
    const auto& bindings = placement.kinds[static_cast<std::size_t>(kind)];
    if (bindings.empty()) text += "  only the wiring is known\n";
    for (std::size_t local = 0; local < bindings.size(); ++local) {
      const Binding& binding = bindings[local];
      text += fmt::format("  rank {:<12} score {:>3.0f}  CPUs {}  {}\n",
                          ranks_of(placement, first, last, static_cast<int>(local)), binding.score,
                          binding.cpus.empty() ? "not known" : format_cpu_list(binding.cpus), binding.why);
    }
    first = last + 1;
  }
  if (!placement.crossings.empty() && placement.nodes.size() > 1) {
    text += "\nA ring over the nodes leaves          as given   ordered    least possible\n";
    for (const auto& tier : placement.crossings) {
      text += fmt::format("  {:<34} {:>9} {:>9} {:>17}\n", tier.tier, tier.as_given, tier.ordered, tier.least);
    }
  }
  text += "\nScore: percent of its adapter's rate that a rank gets when all ranks of its node use theirs.\n";
  return text;
}

std::string place_json(const Cluster& cluster, const JobPlacement& placement) {
  nlohmann::ordered_json document{{"cluster", cluster.name()}, {"ranks_per_node", placement.ranks_per_node}};
  for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
    document["nodes"].push_back(
        {{"node", placement.nodes[i]}, {"host", placement.hosts[i]}, {"kind", placement.kind_of_node[i]}});
  }
  for (std::size_t kind = 0; kind < placement.kinds.size(); ++kind) {
    auto list = nlohmann::ordered_json::array();
    for (const Binding& binding : placement.kinds[kind]) {
      std::vector<std::string> nics;
      for (const int nic : binding.nics) nics.push_back(machine(cluster, kind).device(nic).name);
      list.push_back({{"gpu", gpu_name(machine(cluster, kind), binding)},
                      {"numa_node", binding.numa_node},
                      {"cpus", format_cpu_list(binding.cpus)},
                      {"adapters", nics},
                      {"score", binding.score},
                      {"why", binding.why}});
    }
    document["kinds"].push_back(std::move(list));
  }
  document["crossings"] = nlohmann::ordered_json::array();
  for (const auto& tier : placement.crossings) {
    document["crossings"].push_back(
        {{"tier", tier.tier}, {"as_given", tier.as_given}, {"ordered", tier.ordered}, {"least", tier.least}});
  }
  return document.dump(2) + "\n";
}

std::string place_rankfile(const JobPlacement& placement) {
  std::string text = "# mpirun --mca rmaps_rank_file_physical 1 -rf THIS-FILE …\n";
  for (std::int64_t rank = 0; rank < placement.ranks(); ++rank) {
    const Binding* binding = placement.binding(rank);
    if (!binding || binding->cpus.empty()) nothing_known("a rankfile");
    text += fmt::format("rank {}={} slot={}\n", rank,
                        placement.hosts[static_cast<std::size_t>(rank / placement.ranks_per_node)],
                        format_cpu_list(binding->cpus));
  }
  return text;
}

std::string place_hostfile(const JobPlacement& placement) {
  return fmt::format("{}\n", fmt::join(placement.hosts, "\n"));
}

std::string place_srun(const Cluster& cluster, const JobPlacement& placement) {
  const int kind = placement.kind_of_node.front();
  if (std::any_of(placement.kind_of_node.begin(), placement.kind_of_node.end(), [&](int k) { return k != kind; })) {
    throw Error(Code::unsupported,
                fmt::format("{}: srun takes one list of masks, and the nodes are of several kinds", cluster.name()),
                {.remedy = "start them as parts of a heterogeneous job, or use --format numactl"});
  }
  std::vector<std::string> masks;
  std::vector<std::string> nodes;
  for (const Binding& binding : placement.kinds[static_cast<std::size_t>(kind)]) {
    if (binding.cpus.empty()) nothing_known("srun");
    masks.push_back(hex_mask(binding.cpus));
    nodes.push_back(hex_mask({std::max(binding.numa_node, 0)}));
  }
  if (masks.empty()) nothing_known("srun");
  // Each node stands in the file as often as it has ranks: srun deals them out in that order.
  return fmt::format(
      "# with the lines of --format hostfile, each {} times, in the file SLURM_HOSTFILE names:\n"
      "srun --nodes={} --ntasks={} --ntasks-per-node={} --distribution=arbitrary \\\n"
      "     --cpu-bind=mask_cpu:{} \\\n"
      "     --mem-bind=mask_mem:{} COMMAND\n",
      placement.ranks_per_node, placement.nodes.size(), placement.ranks(), placement.ranks_per_node,
      fmt::join(masks, ","), fmt::join(nodes, ","));
}

std::string place_numactl(const Cluster& cluster, const JobPlacement& placement) {
  std::string text;
  for (std::size_t kind = 0; kind < placement.kinds.size(); ++kind) {
    const Topology& topology = machine(cluster, kind);
    if (placement.kinds.size() > 1) text += fmt::format("# {}\n", cluster.groups()[kind].machine);
    if (placement.kinds[kind].empty()) nothing_known("numactl");
    for (std::size_t local = 0; local < placement.kinds[kind].size(); ++local) {
      const Binding& binding = placement.kinds[kind][local];
      text += fmt::format("# local rank {}\n", local);
      if (binding.gpu >= 0)
        text += fmt::format("CUDA_VISIBLE_DEVICES={} ", std::max(topology.device(binding.gpu).index, 0));
      if (const auto adapters = adapters_for_nccl(topology, binding); !adapters.empty()) {
        text += fmt::format("NCCL_IB_HCA={} ", adapters);
      }
      text += binding.numa_node >= 0 ? fmt::format("numactl --cpunodebind={} --preferred={} COMMAND\n",
                                                   binding.numa_node, binding.numa_node)
                                     : "COMMAND\n";
    }
  }
  return text;
}

}  // namespace tutti::cli
