/// @file  Links that are slower than they could be.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "topology/match.hpp"
#include "tutti/topology/facts.hpp"

namespace tutti {

namespace {

struct Model {
  std::string_view word;
  int nvlinks;
};
// Links of the boards that are soldered to a switch or mesh, by their data sheets. PCI boards are left out: their
// bridges are optional.
constexpr std::array<Model, 8> models{{{"P100-SXM2", 4},
                                       {"V100-SXM", 6},
                                       {"A100-SXM4", 12},
                                       {"H100 80GB HBM3", 18},  // the SXM board; PCI ones say "PCIe" or "NVL"
                                       {"H200", 18},
                                       {"B200", 18},
                                       {"B300", 18},
                                       {"GB200", 18}}};

int nvlinks_expected(const Device& gpu) {
  if (gpu.model.find("PCIe") != std::string::npos || gpu.model.find("NVL") != std::string::npos) return 0;
  for (const Model& model : models) {
    if (gpu.model.find(model.word) != std::string::npos) return model.nvlinks;
  }
  return 0;
}

void look_at_pci(const Topology& topology, std::vector<DegradedLink>& found) {
  for (std::size_t i = 0; i < topology.links().size(); ++i) {
    const Link& link = topology.links()[i];
    if (link.kind != LinkKind::pci) continue;
    const Device& device = topology.device(link.to);
    const bool narrow =
        link.lanes.known() && link.lanes_possible.known() && link.lanes.value < link.lanes_possible.value;
    const bool slow = link.speed.known() && link.speed_possible.known() && link.speed.value < link.speed_possible.value;
    if (narrow) {
      found.push_back({static_cast<int>(i), device.id,
                       fmt::format("{} runs on {:g} lanes; {:g} are possible", call(device), link.lanes.value,
                                   link.lanes_possible.value)});
    }
    if (slow) {
      found.push_back({static_cast<int>(i), device.id,
                       fmt::format("{} runs at {:g} GT/s; {:g} are possible{}", call(device), link.speed.value,
                                   link.speed_possible.value,
                                   device.kind == DeviceKind::gpu ? " (an idle GPU may be saving power)" : "")});
    }
  }
}

void look_at_nvlink(const Topology& topology, std::vector<DegradedLink>& found) {
  std::map<int, int> count;
  for (const Link& link : topology.links()) {
    if (link.kind != LinkKind::nvlink && link.kind != LinkKind::xgmi) continue;
    for (const int end : {link.from, link.one_way ? -1 : link.to}) {
      if (end >= 0 && topology.device(end).kind == DeviceKind::gpu) count[end] += link.count;
    }
    if (link.count_possible > link.count) {
      found.push_back({-1, link.from,
                       fmt::format("{} has {} of {} links to {}", call(topology.device(link.from)), link.count,
                                   link.count_possible, topology.device(link.to).name)});
    }
  }
  std::map<std::pair<int, std::string>, int> most;  // by host and model
  for (const auto& [gpu, links] : count) {
    int& best = most[{topology.device(gpu).host, topology.device(gpu).model}];
    best = std::max({best, links, nvlinks_expected(topology.device(gpu))});
  }
  for (const int id : topology.all(DeviceKind::gpu)) {
    const Device& gpu = topology.device(id);
    const auto best = most.find({gpu.host, gpu.model});
    const auto has = count.find(id);
    const int links = has == count.end() ? 0 : has->second;
    if (const auto down = gpu.attributes.find("nvlinks_down"); down != gpu.attributes.end() && links > 0) {
      found.push_back({-1, id, fmt::format("{}: {} of its NVLinks are down, {} work", call(gpu), down->second, links)});
      continue;
    }
    if (best == most.end() || links >= best->second) continue;
    const bool known = nvlinks_expected(gpu) > links;
    found.push_back({-1, id,
                     fmt::format("{} has {} NVLinks; {} {}", call(gpu), links, best->second,
                                 known ? "belong to this model" : "has another one of this machine")});
  }
}

}  // namespace

std::vector<DegradedLink> degraded_links(const Topology& topology) {
  std::vector<DegradedLink> found;
  look_at_pci(topology, found);
  look_at_nvlink(topology, found);
  return found;
}

}  // namespace tutti
