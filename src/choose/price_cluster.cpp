#include "tutti/choose/price_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "choose/price_parts.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti::choose {

namespace {

GpuKind kind_of(const Topology& node, const Device& gpu) {
  if (const auto kind = gpu_kind_named(gpu.model)) return *kind;
  const auto sm = gpu.attributes.find("sm");
  const std::string capability = sm == gpu.attributes.end() ? "" : sm->second;
  if (capability == "70") return GpuKind::volta;
  if (capability == "75") return GpuKind::turing;
  if (capability == "80") return GpuKind::ampere;
  if (capability == "86" || capability == "89") return GpuKind::ada;
  if (capability == "90") return GpuKind::hopper;
  if (capability == "100" || capability == "103") return GpuKind::blackwell;
  if (capability == "120") return GpuKind::blackwell_rtx;
  throw Error(Code::invalid_argument,
              fmt::format("{}: {}: no prices are known for the GPU '{}'", node.name(), gpu.name, gpu.model),
              {.remedy = "name the nearest model in the description"});
}

double value_or(const Quantity& quantity, double otherwise) { return quantity.known() ? quantity.value : otherwise; }

/// "RTX 4090", "RTX5080": cards for gamers end in 50 to 90; "RTX 4000 Ada" and "RTX 5000 Ada" are for workstations.
bool gamers_number(std::string_view model) {
  const auto at = model.find("RTX");
  if (at == std::string_view::npos) return false;
  model.remove_prefix(at + 3);
  if (model.starts_with(' ')) model.remove_prefix(1);
  const auto digits = std::min(model.find_first_not_of("0123456789"), model.size());
  return digits == 4 && model[0] >= '2' && model[0] <= '5' && model[1] == '0' && model[2] >= '5' && model[3] == '0';
}

/// A card for gamers: its driver lets no peer read or write it.
bool keeps_peers_out(const Device& gpu) {
  return gpu.model.find("GeForce") != std::string::npos || gamers_number(gpu.model);
}

void describe_inside(const Topology& node, const std::vector<int>& gpus, Platform& at) {
  const Device& first = node.device(gpus.front());
  at.gpu = kind_of(node, first);
  double links = 0;
  for (const int index : node.links_of(first.id)) {
    const Link& link = node.links()[static_cast<std::size_t>(index)];
    if (link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi)
      links += value_or(link.rated, link.bandwidth.value);
  }
  at.inner_gbs = links;
  at.multicast =
      !node.all(DeviceKind::nv_switch).empty() && (at.gpu == GpuKind::hopper || at.gpu == GpuKind::blackwell);
  if (links > 0 || gpus.size() < 2) return;
  constexpr double pcie4_x16 = 31.5;
  at.inner_gbs = pcie4_x16;
  const int above = node.parent(first.id);
  for (const int index : node.links_of(first.id)) {
    const Link& link = node.links()[static_cast<std::size_t>(index)];
    if (link.kind == LinkKind::pci && link.to == first.id) at.inner_gbs = value_or(link.rated, pcie4_x16);
  }
  const PathClass path = find_path(node, gpus[0], gpus[1]).path;
  const bool near = path == PathClass::pix || path == PathClass::pxb || path == PathClass::phb;
  at.inner = near && !keeps_peers_out(first) ? InnerLink::pcie_peer : InnerLink::pcie_host;
  if (above < 0 || node.device(above).kind != DeviceKind::pci_switch) return;
  at.uplink_sharers = static_cast<int>(std::count_if(node.children(above).begin(), node.children(above).end(),
                                                     [&](int id) { return node.device(id).kind == DeviceKind::gpu; }));
}

/// `link` is what the fabric was called before settings changed its rate.
void describe_between(const Cluster& cluster, const std::string& link, Platform& at) {
  const Fabric& fabric = cluster.fabric();
  const bool ethernet = link.find("RoCE") != std::string::npos || link.find("Gb") != std::string::npos;
  at.transport = link.find("EFA") != std::string::npos ? Transport::efa
                 : ethernet                            ? Transport::roce
                                                       : Transport::infiniband;
  at.rails = fabric.rails;
  if (!fabric.bandwidth.known()) {
    throw Error(Code::invalid_argument, fmt::format("{}: fabric.bandwidth is not stated", cluster.name()),
                {.remedy = "write the GB/s of one rail, one direction: 50 for NDR"});
  }
  at.rail_gbs = fabric.bandwidth.value;
  const int tier = cluster.meeting_tier(0, at.nodes - 1).value_or(0);
  const double way = cluster.latency_through(tier).known() ? cluster.latency_through(tier).value : counted_us;
  at.switch_us = std::max(0.0, way - counted_us);
  const Quantity kept = cluster.bandwidth_through(tier);
  if (kept.known() && kept.value > 0) at.oversubscription = std::max(1.0, at.rail_gbs / kept.value);
}

void apply(const NetworkSettings& settings, Platform& at) {
  at.queue_pairs = static_cast<int>(settings.queue_pairs.value_or(1));
  at.adaptive_routing = settings.adaptive_routing.value_or(true);
  at.gpu_direct = settings.gpu_direct.value_or(GpuDirect::sys) != GpuDirect::off;
  at.switch_reduces = settings.sharp.value_or(false) && at.transport == Transport::infiniband;
  // Coefficients were found with packets of 4096 bytes.
  const bool roce = at.transport == Transport::roce || at.transport == Transport::roce_cloud;
  at.rail_gbs *= payload_share(settings, roce) / payload_share({}, roce);
}

}  // namespace

Platform platform_of(const Cluster& described, std::int64_t ranks, const NetworkSettings& settings) {
  check(settings);
  const Cluster cluster = settings == NetworkSettings{} ? described : with(described, settings);
  const auto wrong = [&](const std::string& what, const char* remedy) {
    return Error(Code::invalid_argument, fmt::format("{}: {}", cluster.name(), what), {.remedy = remedy});
  };
  if (ranks == 0) ranks = cluster.gpu_count();
  if (ranks < 1)
    throw wrong(fmt::format("there are no {} ranks", ranks), "a machine with a GPU, and a rank for each used");
  if (ranks > cluster.gpu_count()) {
    throw wrong(fmt::format("{} ranks are more than its {} GPUs", ranks, cluster.gpu_count()),
                "fewer ranks, or more nodes");
  }
  const Topology& node = cluster.groups().front().topology;
  const auto gpus = node.all(DeviceKind::gpu);
  if (gpus.empty()) throw wrong("its first node has no GPU", "describe a machine with GPUs");
  const auto each = static_cast<std::int64_t>(gpus.size());
  Platform at;
  at.name = cluster.name();
  at.gpus = static_cast<int>(std::min(ranks, each));
  if (ranks > each && ranks % each != 0) {
    throw wrong(fmt::format("{} ranks do not fill nodes of {} GPUs", ranks, each), "use a multiple");
  }
  at.nodes = static_cast<int>(ranks / at.gpus);
  describe_inside(node, gpus, at);
  if (at.nodes == 1) return at;
  describe_between(cluster, described.fabric().link, at);
  apply(settings, at);
  return at;
}

}  // namespace tutti::choose
