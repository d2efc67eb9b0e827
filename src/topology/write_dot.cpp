/// @file  A topology as a graph for Graphviz.
#include <fmt/format.h>

#include <string>

#include "topology/describe.hpp"
#include "tutti/topology/write.hpp"

namespace tutti {

namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

/// Shape and fill of a kind; colours are apart in brightness too.
const char* look(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "shape=box3d, style=filled, fillcolor=\"#cfe2f3\"";
    case DeviceKind::gpu:
      return "shape=box, style=\"filled,rounded\", fillcolor=\"#b6d7a8\"";
    case DeviceKind::nic:
      return "shape=component, style=filled, fillcolor=\"#ffe599\"";
    case DeviceKind::nv_switch:
      return "shape=hexagon, style=filled, fillcolor=\"#93c47d\"";
    case DeviceKind::network_switch:
      return "shape=hexagon, style=filled, fillcolor=\"#f9cb9c\"";
    case DeviceKind::pci_switch:
    case DeviceKind::host_bridge:
      return "shape=diamond, style=filled, fillcolor=\"#eeeeee\"";
    case DeviceKind::other:
      return "shape=plaintext, fontcolor=\"#888888\"";
  }
  return "";
}

const char* pen(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::c2c:
      return "color=\"#38761d\", penwidth=2.5, constraint=false";
    case LinkKind::socket:
      return "color=\"#1155cc\", penwidth=2, constraint=false";
    case LinkKind::network:
      return "color=\"#b45f06\", penwidth=2";
    case LinkKind::peer:
      return "color=\"#666666\", style=dotted, constraint=false";
    case LinkKind::pci:
    case LinkKind::local:
      return "color=\"#666666\"";
  }
  return "";
}

std::string label(const Device& device) {
  std::string text = device.name;
  if (!device.pci.empty() && text.find(device.pci) == std::string::npos) text += "\\n" + device.pci;
  return text;
}

std::string label(const Link& link) {
  std::string text = link.count > 1 ? fmt::format("{}x ", link.count) : "";
  const auto bandwidth = describe_bandwidth(link.bandwidth);
  return bandwidth.empty() ? text : text + bandwidth;
}

}  // namespace

std::string to_dot(const Topology& topology) {
  std::string text = fmt::format(
      "graph topology {{\n  label={};\n  rankdir=TB;\n  node [fontname=\"sans-serif\", fontsize=10];\n"
      "  edge [fontname=\"sans-serif\", fontsize=8];\n",
      in_quotes(topology.name()));
  for (std::size_t host = 0; host < topology.hosts().size(); ++host) {
    text += fmt::format("  subgraph cluster_{} {{\n    label={};\n", host, in_quotes(topology.hosts()[host].host));
    for (const Device& device : topology.devices()) {
      if (device.host != static_cast<int>(host) || device.kind == DeviceKind::network_switch) continue;
      auto words = in_quotes(label(device));
      for (std::size_t at = 0; (at = words.find("\\\\n", at)) != std::string::npos;) words.erase(at, 1);
      text += fmt::format("    d{} [label={}, {}];\n", device.id, words, look(device.kind));
    }
    text += "  }\n";
  }
  for (const int id : topology.all(DeviceKind::network_switch)) {
    text += fmt::format("  d{} [label={}, {}];\n", id, in_quotes(topology.device(id).name),
                        look(DeviceKind::network_switch));
  }
  for (const Link& link : topology.links()) {
    const auto words = label(link);
    text += fmt::format("  d{} -- d{} [{}{}{}];\n", link.from, link.to, pen(link.kind),
                        words.empty() ? "" : fmt::format(", label={}", in_quotes(words)),
                        link.one_way ? ", dir=forward" : "");
  }
  return text + "}\n";
}

}  // namespace tutti
