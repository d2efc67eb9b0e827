#include "topology/nccl_graph.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "topology/reader.hpp"
#include "topology/text.hpp"
#include "topology/xml.hpp"

namespace tutti {

namespace {

using Node = pugi::xml_node;

/// `base` 16 takes an optional 0x, as NCCL writes device numbers.
std::uint64_t whole(const Xml& xml, Node node, const char* key, int base) {
  std::string_view text = node.attribute(key).value();
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    xml.refuse(node, fmt::format("expected a number in {}=\"{}\" of <{}>", key, shown(node.attribute(key).value(), 40),
                                 node.name()));
  }
  return value;
}

double gigabytes(const Xml& xml, Node node, const char* key) {
  const std::string_view text = node.attribute(key).value();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value < 1e6)) {
    xml.refuse(node, fmt::format("expected GB/s in {}=\"{}\" of <{}>", key, shown(text, 40), node.name()));
  }
  return value;
}

/// NCCL has classes of its own beside those of nvidia-smi.
PathClass class_of(std::string_view name) {
  if (name == "LOC") return PathClass::self;
  if (name == "NVL" || name == "NVB") return PathClass::nvlink;
  if (name == "PXN" || name == "P2C") return PathClass::pxb;
  return path_class_named(name).value_or(PathClass::none);
}

NcclHop read_hop(const Xml& xml, Node node) {
  NcclHop hop{.is_gpu = std::string_view(node.name()) == "gpu"};
  const auto number = whole(xml, node, "dev", 16);
  if ((number & 0x00ff'ffff'ffff'ffff) > 65'535)
    xml.refuse(node, fmt::format("device number {:#x} is out of range", number));
  hop.host = static_cast<int>(number >> 56);
  hop.index = static_cast<int>(number & 0xffff);
  if (node.attribute("rank")) {
    const auto rank = whole(xml, node, "rank", 10);
    if (rank > 10'000'000) xml.refuse(node, fmt::format("rank {} is out of range", rank));
    hop.rank = static_cast<int>(rank);
  }
  return hop;
}

NcclGraph read_graph(const Xml& xml, Node node) {
  NcclGraph graph;
  const auto pattern = whole(xml, node, "pattern", 10);
  if (pattern < 1 || pattern > 6) xml.refuse(node, fmt::format("pattern {}; 1 to 6 are known", pattern));
  graph.id = static_cast<int>(whole(xml, node, "id", 10) & 0xff);
  graph.pattern = static_cast<NcclPattern>(pattern);
  graph.intra_bandwidth = gigabytes(xml, node, "speedintra");
  graph.inter_bandwidth = gigabytes(xml, node, "speedinter");
  graph.intra_class = class_of(node.attribute("typeintra").value());
  graph.inter_class = class_of(node.attribute("typeinter").value());
  for (const Node channel : node.children("channel")) {
    auto& hops = graph.channels.emplace_back();
    for (const Node hop : channel.children()) {
      const std::string_view kind = hop.name();
      if (kind == "gpu" || kind == "net") hops.push_back(read_hop(xml, hop));
    }
    if (hops.empty()) xml.refuse(channel, "expected <gpu> or <net> in <channel>, found none");
  }
  return graph;
}

/// Which algorithm a graph is for: its number says, and its pattern only what it looks like.
const char* word_for(const NcclGraph& graph) {
  if (graph.id == 2) return "CollNet chain";
  if (graph.id == 3) return "NVLS";
  if (graph.id == 4) return "CollNet direct";
  switch (graph.pattern) {
    case NcclPattern::balanced_tree:
    case NcclPattern::split_tree:
    case NcclPattern::tree:
      return "tree";
    case NcclPattern::ring:
      return "ring";
    case NcclPattern::nvls:
      return "NVLS";
    case NcclPattern::collnet_direct:
      return "CollNet direct";
  }
  return "?";
}

/// What the channels tell of the machine: its GPUs and adapters. How near these are to one another is said of the
/// farthest pair only, so no path is stated.
Topology machine_of(const std::vector<NcclGraph>& graphs, const std::string& name) {
  TopologyParts parts;
  parts.name = name;
  parts.source = nccl_graph_reader.kind;
  std::set<std::tuple<bool, int, int>> devices;
  const auto device = [&](const NcclHop& hop) {
    if (!devices.emplace(hop.is_gpu, hop.host, hop.index).second) return;
    while (static_cast<int>(parts.hosts.size()) <= hop.host) {
      parts.hosts.push_back({.host = fmt::format("host {}", parts.hosts.size())});
    }
    parts.add(Device{.kind = hop.is_gpu ? DeviceKind::gpu : DeviceKind::nic,
                     .name = fmt::format("{}{}", hop.is_gpu ? "gpu" : "net", hop.index),
                     .host = hop.host,
                     .index = hop.index,
                     .rank = hop.rank});
  };
  for (const NcclGraph& graph : graphs) {
    for (const auto& hops : graph.channels) {
      for (const NcclHop& hop : hops) device(hop);
    }
    parts.notes.push_back(fmt::format("graph {}: {} channels ({}), each {:g} GB/s within and {:g} GB/s between hosts",
                                      graph.id, graph.channels.size(), word_for(graph), graph.intra_bandwidth,
                                      graph.inter_bandwidth));
  }
  return Topology(std::move(parts));
}

}  // namespace

std::vector<NcclGraph> read_nccl_graphs(std::string_view text, const std::string& name) {
  const Xml xml(text, name);
  if (std::string_view(xml.root().name()) != "graphs") xml.refuse(xml.root(), "expected <graphs>");
  if (whole(xml, xml.root(), "version", 10) != 1) xml.refuse(xml.root(), "a version of graph XML other than 1");
  std::vector<NcclGraph> graphs;
  for (const Node node : xml.root().children("graph")) graphs.push_back(read_graph(xml, node));
  if (graphs.empty()) xml.refuse(xml.root(), "expected a <graph> in <graphs>, found none");
  return graphs;
}

const Reader nccl_graph_reader{
    .kind = "nccl-graph-xml",
    .what = "NCCL graph XML",
    .recognises = [](std::string_view text) { return xml_root_name(text) == "graphs"; },
    .read = [](std::string_view text,
               const std::string& name) { return machine_of(read_nccl_graphs(text, name), name); }};

}  // namespace tutti
