#include "cli/report_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/cpu_list.hpp"
#include "topology/describe.hpp"
#include "tutti/base/units.hpp"
#include "tutti/topology/path.hpp"

namespace tutti::report {

namespace {

constexpr double pad = 8;
constexpr double strong_width = 7.1;  // of a character of a title, about
constexpr double plain_width = 5.9;
constexpr double wide_width = 6.4;  // of one in capitals and digits

void gather(const Topology& topology, int device, TreeBox& into, int depth);

/// Everything below a bridge becomes a box of its own, or, where that would hold one thing only, goes where the bridge is.
void gather_bridge(const Topology& topology, int bridge, TreeBox& into, int depth) {
  TreeBox box;
  box.device = bridge;
  gather(topology, bridge, box, depth + 1);
  const std::size_t things = box.nics.size() + box.gpus.size() + box.inner.size();
  if (things <= 1) {
    into.nics.insert(into.nics.end(), box.nics.begin(), box.nics.end());
    into.gpus.insert(into.gpus.end(), box.gpus.begin(), box.gpus.end());
    std::move(box.inner.begin(), box.inner.end(), std::back_inserter(into.inner));
    into.others.insert(into.others.end(), box.others.begin(), box.others.end());
    return;
  }
  const Device& device = topology.device(bridge);
  box.title = device.name;
  if (!device.pci.empty() && device.name.find(device.pci) == std::string::npos) box.title += " " + device.pci;
  for (const int index : topology.links_of(bridge)) {
    const Link& link = topology.links()[static_cast<std::size_t>(index)];
    if (link.kind == LinkKind::pci && link.to == bridge) box.remark = describe_bandwidth(link.bandwidth);
  }
  into.inner.push_back(std::move(box));
}

void put(const Topology& topology, int device, TreeBox& into, int depth) {
  const Device& it = topology.device(device);
  switch (it.kind) {
    case DeviceKind::gpu:
      into.gpus.push_back(device);
      return gather(topology, device, into, depth + 1);
    case DeviceKind::nic:
      into.nics.push_back(device);
      return gather(topology, device, into, depth + 1);
    case DeviceKind::host_bridge:
    case DeviceKind::pci_switch:
      return gather_bridge(topology, device, into, depth);
    case DeviceKind::other:
      into.others.push_back(it.name);
      return gather(topology, device, into, depth + 1);
    case DeviceKind::cpu:
    case DeviceKind::nv_switch:
    case DeviceKind::network_switch:
      return;
  }
}

void gather(const Topology& topology, int device, TreeBox& into, int depth) {
  if (depth > Topology::most_levels) return;
  for (const int child : topology.children(device)) put(topology, child, into, depth);
}

std::size_t small_leaves(const TreeBox& tree) { return tree.nics.size() + (tree.others.empty() ? 0 : 1); }

double in_a_row(std::size_t count, const TreeSizes& sizes) {
  return count == 0 ? 0 : static_cast<double>(count) * (sizes.leaf + sizes.gap) - sizes.gap;
}

bool has_gpu(const TreeBox& tree) {
  return !tree.gpus.empty() || std::any_of(tree.inner.begin(), tree.inner.end(), has_gpu);
}

/// Boxes without a GPU stand above the GPUs of a box that has some of its own.
bool inner_above(const TreeBox& tree) {
  return !tree.gpus.empty() && std::none_of(tree.inner.begin(), tree.inner.end(), has_gpu);
}

double inner_width(const TreeBox& tree, const TreeSizes& sizes) {
  double boxes = 0;
  for (const TreeBox& box : tree.inner) boxes += box.width + sizes.gap;
  const double gpus = tree.gpus.empty() ? 0 : in_a_row(tree.gpus.size(), sizes) + sizes.gap;
  return std::max(0.0, (inner_above(tree) ? std::max(boxes, gpus) : boxes + gpus) - sizes.gap);
}

std::size_t columns_of_leaves(const TreeBox& tree, double width, const TreeSizes& sizes) {
  const auto fit = static_cast<std::size_t>((width + sizes.gap + 0.5) / (sizes.leaf + sizes.gap));
  return std::max<std::size_t>(1, std::min(std::max(fit, sizes.nic_columns), small_leaves(tree)));
}

void measure(TreeBox& tree, const TreeSizes& sizes) {
  double below = 0;
  for (TreeBox& box : tree.inner) {
    measure(box, sizes);
    below = std::max(below, box.height);
  }
  const double gpus = tree.gpus.empty() ? 0 : sizes.gpu_height;
  below = inner_above(tree) && below > 0 ? below + sizes.gap + gpus : std::max(below, gpus);
  double width = inner_width(tree, sizes);
  const std::size_t leaves = small_leaves(tree);
  const std::size_t columns = columns_of_leaves(tree, width, sizes);
  const double title = strong_width * static_cast<double>(tree.title.size());
  constexpr double list_of_cpus = 132;
  const double least = tree.remark.rfind("CPUs", 0) == 0 ? std::max({list_of_cpus, sizes.leaf, title}) : sizes.leaf;
  width = std::max({width, leaves == 0 ? 0 : in_a_row(columns, sizes), least});
  const double rows = rows_of(leaves, columns);
  double height = sizes.title + (tree.remark.empty() ? 0 : 14);
  if (leaves > 0) height += rows * (sizes.nic_height + sizes.gap);
  if (below > 0) height += below + sizes.gap;
  tree.width = width + 2 * pad;
  tree.height = height + pad / 2;
}

/// The link that joins a device to what is above it, in words: PCI lanes, or C2C.
std::string link_above(const Topology& topology, int device) {
  for (const int index : topology.links_of(device)) {
    const Link& link = topology.links()[static_cast<std::size_t>(index)];
    if (link.kind == LinkKind::c2c) return "C2C " + describe_bandwidth(link.bandwidth);
  }
  for (const int index : topology.links_of(device)) {
    const Link& link = topology.links()[static_cast<std::size_t>(index)];
    if (link.kind != LinkKind::pci || link.to != device) continue;
    std::string lanes = describe_lanes(link);
    if (lanes.empty()) return link.bandwidth.known() ? "PCI " + describe_bandwidth(link.bandwidth) : "";
    return lanes;
  }
  return {};
}

std::string short_model(std::string model) {
  for (const char* maker : {"NVIDIA ", "AMD "}) {
    if (model.rfind(maker, 0) == 0) model = model.substr(std::string_view(maker).size());
  }
  return model;
}

void draw_leaf(Canvas& canvas, const Topology& topology, int id, const Box& where, bool bad) {
  const Device& device = topology.device(id);
  const bool gpu = device.kind == DeviceKind::gpu;
  canvas.box(where, fmt::format("{}{}", gpu ? "gpu" : "nic", bad ? " bad" : ""));
  double y = where.y + 15;
  const auto line = [&](const std::string& words, const char* look) {
    if (words.empty() || y > where.y + where.height - 3) return;
    const double each = std::string_view(look) == "strong" ? strong_width : wide_width;
    canvas.text(where.x + where.width / 2, y, words, look, Anchor::middle,
                static_cast<std::size_t>((where.width - 6) / each));
    y += 14;
  };
  const std::string rank = gpu && device.rank >= 0 ? fmt::format(" · rank {}", device.rank) : "";
  line(device.name + rank + (bad ? " ▼" : ""), "strong");
  std::string what = short_model(device.model);
  if (const auto speed = port_speed(device); speed.known()) what = "port " + describe_bandwidth(speed);
  if (const auto state = device.attributes.find("state");
      !gpu && state != device.attributes.end() && state->second != "active") {
    what = "port " + state->second;
  }
  line(what, "");
  if (gpu) line(device.pci, "code");
  line(link_above(topology, id), "soft");
}

void draw_others(Canvas& canvas, const TreeBox& tree, const Box& where) {
  canvas.box(where, "other");
  const auto most = static_cast<std::size_t>((where.width - 6) / wide_width);
  const double middle = where.x + where.width / 2;
  canvas.text(middle, where.y + 15,
              tree.others.size() == 1 ? "other device" : fmt::format("{} other devices", tree.others.size()), "soft",
              Anchor::middle, most);
  std::string names;
  for (const std::string& name : tree.others) names += (names.empty() ? "" : ", ") + name;
  canvas.text(middle, where.y + 29, names, "soft", Anchor::middle, most);
}

}  // namespace

TreeBox tree_below(const Topology& topology, int id, const std::vector<int>& loose, const TreeSizes& sizes) {
  TreeBox tree;
  tree.device = id;
  const Device& cpu = topology.device(id);
  gather(topology, id, tree, 0);
  for (const int device : loose) put(topology, device, tree, 0);
  tree.title = cpu.numa_node >= 0 ? fmt::format("NUMA node {}", cpu.numa_node) : cpu.name;
  for (const NumaNode& node : topology.hosts()[static_cast<std::size_t>(cpu.host)].numa_nodes) {
    if (node.index != cpu.numa_node) continue;
    if (!node.cpus.empty()) tree.remark = "CPUs " + format_cpu_list(node.cpus);
    if (node.memory_bytes > 0) tree.title += " · " + format_bytes(node.memory_bytes);
  }
  measure(tree, sizes);
  return tree;
}

TreeBox tree_of(const Topology& topology, const std::vector<int>& devices, const TreeSizes& sizes) {
  TreeBox tree;
  tree.title = "place not told";
  for (const int device : devices) put(topology, device, tree, 0);
  TreeSizes in_pairs = sizes;
  in_pairs.nic_columns = std::max<std::size_t>(2, sizes.nic_columns);
  measure(tree, in_pairs);
  return tree;
}

void draw_tree(Canvas& canvas, const Topology& topology, const TreeBox& tree, const Box& where, const TreeSizes& sizes,
               std::vector<std::pair<int, Box>>& gpus, const std::vector<bool>& degraded) {
  const bool cpu = tree.device < 0 || topology.device(tree.device).kind == DeviceKind::cpu;
  const auto most = static_cast<std::size_t>((where.width - pad) / (cpu ? strong_width : plain_width));
  canvas.box(where, cpu ? "cpu" : "bridge", 6);
  canvas.text(where.x + pad, where.y + 14, tree.title, cpu ? "strong" : "soft", Anchor::start, most);
  double y = where.y + sizes.title;
  if (!tree.remark.empty()) {
    canvas.text(where.x + pad, y + 8, tree.remark, "soft", Anchor::start,
                static_cast<std::size_t>((where.width - pad) / plain_width));
    y += 14;
  }
  const double width = where.width - 2 * pad;
  const std::size_t columns = columns_of_leaves(tree, std::max(width, sizes.leaf), sizes);
  for (std::size_t i = 0; i < small_leaves(tree); ++i) {
    const Box at{where.x + pad + static_cast<double>(i % columns) * (sizes.leaf + sizes.gap),
                 y + row_of(i, columns) * (sizes.nic_height + sizes.gap), sizes.leaf, sizes.nic_height};
    if (i < tree.nics.size()) {
      draw_leaf(canvas, topology, tree.nics[i], at, degraded[static_cast<std::size_t>(tree.nics[i])]);
    } else {
      draw_others(canvas, tree, at);
    }
  }
  const double bottom = where.y + where.height - sizes.gap;
  double x = where.x + pad;
  const std::size_t rows = (small_leaves(tree) + columns - 1) / columns;
  const double top = y + static_cast<double>(rows) * (sizes.nic_height + sizes.gap);
  const bool above = inner_above(tree);
  for (const TreeBox& box : tree.inner) {
    draw_tree(canvas, topology, box, {x, top, box.width, above ? box.height : bottom - top}, sizes, gpus, degraded);
    x += box.width + sizes.gap;
  }
  if (above) x = where.x + pad;
  for (const int gpu : tree.gpus) {
    const Box at{x, bottom - sizes.gpu_height, sizes.leaf, sizes.gpu_height};
    draw_leaf(canvas, topology, gpu, at, degraded[static_cast<std::size_t>(gpu)]);
    gpus.emplace_back(gpu, at);
    x += sizes.leaf + sizes.gap;
  }
}

}  // namespace tutti::report
