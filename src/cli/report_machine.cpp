#include "cli/report_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "cli/report_canvas.hpp"
#include "cli/report_gpu_links.hpp"
#include "cli/report_tree.hpp"
#include "topology/describe.hpp"
#include "tutti/base/units.hpp"
#include "tutti/topology/facts.hpp"

namespace tutti::report {

namespace {

constexpr double margin = 4;
constexpr double between_sockets = 26;

/// NUMA nodes of one socket: those that hold devices side by side, the others one below the other at the end.
struct Socket {
  int package = -1;
  std::vector<TreeBox> holding{};
  std::vector<TreeBox> bare{};
  double width = 0;
  double height = 0;
};

std::vector<Socket> sockets_of(const Topology& topology, int host, const TreeSizes& sizes) {
  std::map<int, Socket> sockets;
  std::vector<int> cpus;
  std::map<int, std::vector<int>> loose;  // by NUMA node
  const auto& nodes = topology.hosts()[static_cast<std::size_t>(host)].numa_nodes;
  for (const int id : topology.devices_of(host)) {
    const Device& device = topology.device(id);
    if (topology.parent(id) >= 0) continue;
    if (device.kind == DeviceKind::nv_switch || device.kind == DeviceKind::network_switch) continue;
    if (device.kind == DeviceKind::cpu) {
      cpus.push_back(id);
    } else {
      loose[device.numa_node].push_back(id);
    }
  }
  for (const int id : cpus) {
    const int numa = topology.device(id).numa_node;
    int package = -1;
    for (const NumaNode& node : nodes) {
      if (node.index == numa) package = node.package;
    }
    std::vector<int> here;
    if (numa >= 0) here.swap(loose[numa]);
    Socket& socket = sockets[package];
    socket.package = package;
    TreeBox tree = tree_below(topology, id, here, sizes);
    auto& list = tree.holds_something() ? socket.holding : socket.bare;
    list.push_back(std::move(tree));
  }
  std::vector<int> rest;
  for (const auto& [numa, devices] : loose) rest.insert(rest.end(), devices.begin(), devices.end());
  std::vector<Socket> all;
  for (auto& [package, socket] : sockets) all.push_back(std::move(socket));
  if (TreeBox tree = tree_of(topology, rest, sizes); tree.holds_something()) {
    all.emplace_back();
    all.back().package = -2;
    all.back().holding.push_back(std::move(tree));
  }
  return all;
}

double column_of_bare(const Socket& socket, double& height, double gap) {
  double width = 0;
  height = 0;
  for (const TreeBox& tree : socket.bare) {
    width = std::max(width, tree.width);
    height += tree.height + gap;
  }
  height = std::max(0.0, height - gap);
  return width;
}

void measure(Socket& socket, double gap) {
  double bare = 0;
  double width = column_of_bare(socket, bare, gap);
  double height = bare;
  for (const TreeBox& tree : socket.holding) {
    width += tree.width + (width > 0 ? gap : 0);
    height = std::max(height, tree.height);
  }
  const bool framed = socket.package >= 0;
  socket.width = width + (framed ? 2 * gap : 0);
  socket.height = height + (framed ? 18 + gap : 0);
}

void draw_socket(Canvas& canvas, const Topology& topology, const Socket& socket, const Box& where,
                 const TreeSizes& sizes, std::vector<std::pair<int, Box>>& gpus, const std::vector<bool>& degraded) {
  Box inside = where;
  if (socket.package >= 0) {
    canvas.box(where, "socket", 8);
    canvas.text(where.x + sizes.gap, where.y + 14, fmt::format("socket {}", socket.package), "strong");
    inside = {where.x + sizes.gap, where.y + 18, where.width - 2 * sizes.gap, where.height - 18 - sizes.gap};
  }
  double x = inside.x;
  for (const TreeBox& tree : socket.holding) {
    draw_tree(canvas, topology, tree, {x, inside.y, tree.width, inside.height}, sizes, gpus, degraded);
    x += tree.width + sizes.gap;
  }
  double y = inside.y;
  for (const TreeBox& tree : socket.bare) {
    draw_tree(canvas, topology, tree, {x, y, tree.width, tree.height}, sizes, gpus, degraded);
    y += tree.height + sizes.gap;
  }
}

/// What joins CPUs: "~22 GB/s", and whether all are alike.
std::string socket_words(const Topology& topology, int host) {
  std::set<std::string> kinds;
  std::size_t links = 0;
  for (const Link& link : topology.links()) {
    if (link.kind != LinkKind::socket || topology.device(link.from).host != host) continue;
    kinds.insert(describe_bandwidth(link.bandwidth));
    ++links;
  }
  if (links == 0) return {};
  const std::string carries = kinds.size() == 1 ? *kinds.begin() : "of different bandwidth";
  if (links == 1) return "link between the NUMA nodes" + (carries.empty() ? "" : ": " + carries);
  return fmt::format("{} links between NUMA nodes{}", links, carries.empty() ? "" : ": " + carries + " each way");
}

std::vector<bool> degraded_devices(const Topology& topology) {
  std::vector<bool> degraded(topology.devices().size());
  for (const DegradedLink& each : degraded_links(topology)) {
    if (each.device >= 0) degraded[static_cast<std::size_t>(each.device)] = true;
  }
  return degraded;
}

std::string description(const Topology& topology, int host, const GpuLinks& links) {
  std::string words = host_words(topology.hosts()[static_cast<std::size_t>(host)]);
  const auto add = [&](const std::string& more) {
    if (!more.empty()) words += (words.empty() ? "" : ". ") + more;
  };
  add(devices_in_words(topology, host, DeviceKind::gpu));
  add(devices_in_words(topology, host, DeviceKind::nic));
  add(in_words(links));
  add(socket_words(topology, host));
  return words + ".";
}

}  // namespace

std::string host_words(const HostFacts& facts) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
  const auto count = [&](int number, const char* one) {
    if (number > 0) add(fmt::format("{} {}{}", number, one, number == 1 ? "" : "s"));
  };
  count(facts.packages, "socket");
  count(facts.cores, "core");
  count(facts.cpus, "CPU");
  if (!facts.cpu_model.empty()) add(facts.cpu_model);
  if (facts.memory_bytes > 0) add(format_bytes(facts.memory_bytes) + " of memory");
  return words;
}

std::string devices_in_words(const Topology& topology, int host, DeviceKind kind) {
  std::map<std::string, int> models;
  for (const int id : topology.devices_of(host)) {
    const Device& device = topology.device(id);
    if (device.kind == kind) ++models[device.model.empty() ? std::string() : device.model];
  }
  std::string words;
  for (const auto& [model, count] : models) {
    const std::string nobody = kind == DeviceKind::gpu ? "GPU" : "network port";
    if (!words.empty()) words += ", ";
    words += fmt::format("{} {}", count, model.empty() ? nobody + (count == 1 ? "" : "s") : model);
  }
  return words;
}

std::string host_picture(const Topology& topology, int host, const std::string& id) {
  TreeSizes sizes;
  const auto gpu_count = static_cast<std::size_t>(
      std::count_if(topology.devices_of(host).begin(), topology.devices_of(host).end(),
                    [&](int device) { return topology.device(device).kind == DeviceKind::gpu; }));
  if (gpu_count > 8) sizes.leaf = 92;
  if (gpu_count > 4) sizes.nic_columns = 1;
  std::vector<Socket> sockets = sockets_of(topology, host, sizes);
  if (sockets.empty()) return {};
  double width = margin;
  double height = 0;
  for (Socket& socket : sockets) {
    measure(socket, sizes.gap);
    height = std::max(height, socket.height);
    width += socket.width + between_sockets;
  }
  const GpuLinks links = gpu_links(topology, host);
  width += margin - between_sockets;
  // Room for what the bar of the links says.
  const double natural = width;
  width = std::max(width, links.empty() ? 0 : 24 + 6.6 * static_cast<double>(in_words(links).size()));

  Canvas canvas;
  std::vector<std::pair<int, Box>> gpus;
  const std::vector<bool> degraded = degraded_devices(topology);
  double x = margin + (width - natural) / 2;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (i > 0 && sockets[i].package >= 0 && sockets[i - 1].package >= 0) {
      canvas.line(x - between_sockets, margin + 30, x, margin + 30, "between");
    }
    draw_socket(canvas, topology, sockets[i], {x, margin, sockets[i].width, height}, sizes, gpus, degraded);
    x += sockets[i].width + between_sockets;
  }
  double bottom = margin + height;
  if (!links.empty()) bottom = draw_gpu_links(canvas, links, gpus, bottom, width - margin);
  if (const std::string words = socket_words(topology, host); !words.empty()) {
    bottom += 20;
    canvas.line(12, bottom - 4, 46, bottom - 4, "between");
    canvas.text(54, bottom, words);
    bottom += 4;
  }
  const HostFacts& facts = topology.hosts()[static_cast<std::size_t>(host)];
  const std::string name = facts.host.empty() ? topology.name() : facts.host;
  return canvas.svg(width, bottom + margin, 0.8 * width, id, "Picture of " + name, description(topology, host, links));
}

}  // namespace tutti::report
