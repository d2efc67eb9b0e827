/// @file  The system that an NCCL log draws with NCCL_DEBUG_SUBSYS=GRAPH: "=== System", a tree by indents, "=====".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "topology/nccl_log.hpp"
#include "topology/pasted.hpp"
#include "topology/pci_id.hpp"
#include "topology/rates.hpp"
#include "topology/sockets.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr std::size_t max_nodes = 20'000;

/// "GPU/0-b000 (3)", "CPU/1 (1/2/-1)", "PCI/7000 (1000c0101000a096)".
struct LoggedNode {
  std::string_view kind{};
  std::string_view id{};       ///< without the number of the host
  std::string_view details{};  ///< in the brackets
};

std::optional<LoggedNode> node_of(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash > 4) return {};
  LoggedNode node{.kind = text.substr(0, slash)};
  auto id = text.substr(slash + 1, text.find_first_of(" \t", slash) - slash - 1);
  if (const auto dash = id.find('-'); dash != std::string_view::npos && dash > 0) id.remove_prefix(dash + 1);
  node.id = id;
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
    node.details = text.substr(open + 1, close - open - 1);
  }
  return node;
}

/// "+ NVL[240.0] - NVS/0-0"
struct Edge {
  std::string_view type{};
  double bandwidth = 0;
  std::size_t text = 0;  ///< where the node's text begins, from the "+"
  LoggedNode node{};
};

std::optional<Edge> edge_of(std::string_view line) {
  Edge edge;
  auto rest = line;
  if (!take(rest, "+ ")) return {};
  const auto open = rest.find('[');
  const auto close = rest.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  edge.type = rest.substr(0, open);
  const auto number = rest.substr(open + 1, close - open - 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), edge.bandwidth);
  if (error != std::errc{} || !(edge.bandwidth >= 0 && edge.bandwidth < 1e6)) return {};
  rest.remove_prefix(close + 1);
  if (!take(rest, " - ")) return {};
  edge.text = line.size() - rest.size();
  const auto node = node_of(rest);
  if (!node) return {};
  edge.node = *node;
  return edge;
}

/// How many NVLinks carry that much, by the numbers that versions of NCCL have for one; 1 when none fits.
struct Bundle {
  int count = 1;
  double rated = 0;  ///< GB/s of one by the data sheet; 0: not known
};

Bundle bundle_of(double bandwidth) {
  struct Known {
    double reached;
    double rated;
  };
  constexpr std::array<Known, 8> known{
      {{20.6, 25}, {20, 25}, {40.1, 50}, {40, 50}, {22, 25}, {21, 25}, {18, 20}, {12, 14.0625}}};
  for (const Known& one : known) {
    const double count = bandwidth / one.reached;
    if (count >= 0.99 && count < 18.5 && std::abs(count - std::round(count)) < 0.006 * count) {
      return {static_cast<int>(std::lround(count)), one.rated};
    }
  }
  return {};
}

class System {
 public:
  System(std::string name, std::size_t line) : line_(line) {
    host_.name = std::move(name);
    host_.parts.hosts.push_back({.host = host_.name});
  }

  /// One line, and how far it is indented.
  void add(std::string_view line, std::size_t indent) {
    if (auto edge = edge_of(line)) {
      while (!open_.empty() && open_.back().column > indent) open_.pop_back();
      if (open_.empty()) return;
      hang(open_.back().device, *edge, indent + edge->text);
    } else if (const auto node = node_of(line); node && node->kind == "CPU") {
      open_ = {{indent, cpu(*node)}};
    }
  }

  LoggedHost finish() {
    for (const auto& [ends, link] : between_) {
      Link added = link;
      added.one_way =
          link.kind == LinkKind::nvlink && is_gpu(ends.second) && !between_.contains({ends.second, ends.first});
      if (ends.first > ends.second && between_.contains({ends.second, ends.first})) continue;
      host_.parts.add(added);
    }
    return std::move(host_);
  }

  bool empty() const { return host_.parts.devices.empty(); }

 private:
  struct Open {
    std::size_t column = 0;
    int device = 0;
  };

  Device& device(int id) { return host_.parts.devices[static_cast<std::size_t>(id)]; }
  bool is_gpu(int id) { return device(id).kind == DeviceKind::gpu; }

  int known(std::string_view kind, std::string_view id) {
    const auto at = devices_.find({std::string(kind), std::string(id)});
    return at == devices_.end() ? -1 : at->second;
  }

  int remember(const LoggedNode& node, Device device) {
    const int id = host_.parts.add(std::move(device));
    devices_[{std::string(node.kind), std::string(node.id)}] = id;
    return id;
  }

  /// By number, which NCCL writes in hex: a line that is damaged behind it names the same CPU. No number, or -1: "?".
  int cpu(const LoggedNode& node) {
    std::uint64_t number = 0;
    const auto error = std::from_chars(node.id.data(), node.id.data() + node.id.size(), number, 16).ec;
    const int numa = error == std::errc{} && number < 1024 ? static_cast<int>(number) : -1;
    const std::string canonical = numa < 0 ? "?" : fmt::format("{}", numa);
    int id = known(node.kind, canonical);
    if (id < 0) {
      id = remember({.kind = node.kind, .id = canonical},
                    Device{.kind = DeviceKind::cpu, .name = "numa" + canonical, .numa_node = numa});
    }
    processor(node.details);
    return id;
  }

  /// "1/2/-1": architecture, vendor, model, by NCCL's own numbers.
  void processor(std::string_view details) {
    HostFacts& facts = host_.parts.hosts[0];
    if (details.size() < 3 || !facts.architecture.empty()) return;
    constexpr std::array<const char*, 4> architectures{"", "x86_64", "ppc64", "arm64"};
    constexpr std::array<const char*, 4> vendors{"", "GenuineIntel", "AuthenticAMD", "CentaurHauls"};
    if (details[0] >= '1' && details[0] <= '3')
      facts.architecture = architectures[static_cast<std::size_t>(details[0] - '0')];
    if (details[1] == '/' && details[2] >= '1' && details[2] <= '3') {
      facts.cpu_vendor = vendors[static_cast<std::size_t>(details[2] - '0')];
    }
  }

  void hang(int parent, const Edge& edge, std::size_t column) {
    const auto kind = edge.node.kind;
    if (edge.type == "NVL" || edge.type == "XGMI" || edge.type == "C2C" || edge.type == "SYS") {
      beside(parent, edge);
    } else if (kind == "NET") {
      net(parent, edge);
    } else if (kind == "GPU" && edge.type == "LOC") {  // under its device, from 2.30 on
      gpu_details(device(parent), edge.node);
      devices_[{"GPU", std::string(edge.node.id)}] = parent;
      open_.push_back({column, parent});
    } else if (kind == "GPU" || kind == "PCI" || kind == "NIC" || kind == "DEV") {
      if (known(kind, edge.node.id) >= 0 || host_.parts.devices.size() >= max_nodes) return;
      open_.push_back({column, below(parent, edge)});
    }
  }

  Device like_parent(int parent, DeviceKind kind) { return {.kind = kind, .numa_node = device(parent).numa_node}; }

  static void gpu_details(Device& gpu, const LoggedNode& node) {
    auto details = node.details;
    gpu.kind = DeviceKind::gpu;
    gpu.rank = take_number(details);
    gpu.name = gpu.rank >= 0 ? fmt::format("gpu of rank {}", gpu.rank) : "gpu " + gpu.pci;
  }

  int below(int parent, const Edge& edge) {
    const auto kind = edge.node.kind;
    const auto what = kind == "GPU" || kind == "DEV" ? DeviceKind::gpu
                      : kind == "NIC"                ? DeviceKind::nic
                                                     : DeviceKind::pci_switch;
    Device child = like_parent(parent, what);
    child.pci = bus_of_number(edge.node.id);
    child.name = fmt::format("{}{}{}", what == DeviceKind::pci_switch ? "switch" : name(what),
                             child.pci.empty() ? "" : " ", child.pci);
    if (kind == "GPU") gpu_details(child, edge.node);
    const int id = remember(edge.node, std::move(child));
    const bool pci = edge.type == "PCI";
    host_.parts.add(Link{.kind = pci ? LinkKind::pci : LinkKind::local,
                         .from = parent,
                         .to = id,
                         .bandwidth = Quantity::read(edge.bandwidth),
                         .latency = Quantity::assumed(rates::latency(pci ? LinkKind::pci : LinkKind::local))});
    return id;
  }

  /// A port of the adapter that it hangs on: "guid/port/bandwidth", or "coll/guid/port/bandwidth" from 2.21 on.
  void net(int parent, const Edge& edge) {
    if (known("NET", edge.node.id) >= 0 || host_.parts.devices.size() >= max_nodes) return;
    int port = parent;
    const bool first = device(parent).kind == DeviceKind::nic && device(parent).index < 0;
    if (!first) {
      Device more = device(parent);
      if (more.kind != DeviceKind::nic) more = like_parent(parent, DeviceKind::nic);
      port = host_.parts.add(std::move(more));
      const bool same = device(parent).kind == DeviceKind::nic;
      for (std::size_t i = 0, count = host_.parts.links.size(); same && i < count; ++i) {
        Link link = host_.parts.links[i];
        if (link.to != parent) continue;
        link.to = port;
        host_.parts.add(link);
        break;
      }
      if (!same) {
        host_.parts.add(
            Link{.kind = LinkKind::local, .from = parent, .to = port, .bandwidth = Quantity::assumed(rates::local)});
      }
    }
    devices_[{"NET", std::string(edge.node.id)}] = port;
    Device& nic = device(port);
    auto id = edge.node.id;
    nic.index = take_number(id);
    nic.name = fmt::format("net{}", nic.index);
    nic.attributes["speed"] = fmt::format("{:.0f}", edge.bandwidth * 8000);
    std::vector<std::string_view> fields;
    for (auto rest = edge.node.details; !rest.empty();) {
      fields.push_back(rest.substr(0, rest.find('/')));
      rest.remove_prefix(std::min(rest.size(), fields.back().size() + 1));
    }
    if (fields.size() >= 3) {
      nic.attributes["guid"] = fmt::format("0x{}", fields[fields.size() - 3]);
      nic.attributes["port"] = fields[fields.size() - 2];
    }
  }

  /// NVLinks, chip links and links of sockets name a far end, which may come later.
  void beside(int from, const Edge& edge) {
    const bool socket = edge.type == "SYS";
    int to = edge.node.kind == "CPU" ? cpu(edge.node) : known(edge.node.kind, edge.node.id);
    if (to < 0 && edge.node.kind == "NVS") {
      to = remember(edge.node, Device{.kind = DeviceKind::nv_switch,
                                      .name = fmt::format("nvswitch{}", edge.node.id),
                                      .model = "all NVSwitches as one"});
    } else if (to < 0) {
      later_.push_back({from, edge});
      return;
    }
    if (to == from || (socket && device(from).kind != DeviceKind::cpu)) return;
    between(from, to, edge);
  }

 public:
  /// Links to devices that were drawn later. Call once, before finish().
  void resolve() {
    for (const auto& [from, edge] : later_) {
      const int to = known(edge.node.kind, edge.node.id);
      if (to >= 0 && to != from) {
        between(from, to, edge);
      } else if (to < 0) {
        host_.parts.notes.push_back(fmt::format("line {}: a link of {} leads to {}/{}, which is not drawn", line_,
                                                device(from).name, edge.node.kind, edge.node.id));
      }
    }
  }

 private:
  void between(int from, int to, const Edge& edge) {
    const auto kind = edge.type == "SYS"    ? LinkKind::socket
                      : edge.type == "C2C"  ? LinkKind::c2c
                      : edge.type == "XGMI" ? LinkKind::xgmi
                                            : LinkKind::nvlink;
    Link link{.kind = kind,
              .from = from,
              .to = to,
              .bandwidth = Quantity::read(edge.bandwidth),
              .latency = Quantity::assumed(rates::latency(kind))};
    if (kind == LinkKind::nvlink) {
      const Bundle bundle = bundle_of(edge.bandwidth);
      link.count = bundle.count;
      if (bundle.rated > 0) link.rated = Quantity::assumed(bundle.rated * bundle.count);
    }
    between_.emplace(std::pair(from, to), link);
  }

  std::size_t line_;
  LoggedHost host_;
  std::vector<Open> open_;
  std::map<std::pair<std::string, std::string>, int> devices_;
  std::map<std::pair<int, int>, Link> between_;
  std::vector<std::pair<int, Edge>> later_;
};

/// Blanks between "INFO" and what was said, but for the one that is always there.
std::size_t indent_of(std::string_view said, std::string_view text) {
  const char* at = said.data();
  std::size_t blanks = 0;
  while (at > text.data() && *(at - 1) == ' ') {
    --at;
    ++blanks;
  }
  return blanks == 0 ? 0 : blanks - 1;
}

}  // namespace

std::string bus_of_number(std::string_view hex) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  if (hex.empty() || error != std::errc{} || end != hex.data() + hex.size() || number >> 52 != 0) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", number >> 20, number >> 12 & 0xff, number >> 4 & 0xff, number & 0xf);
}

std::vector<LoggedHost> logged_systems(const std::vector<NcclLogLine>& lines, std::string_view text) {
  std::vector<LoggedHost> hosts;
  std::map<std::tuple<std::string_view, long, long>, System> open;
  std::set<std::string_view> done;
  for (const NcclLogLine& line : lines) {
    if (line.host.empty() || done.contains(line.host)) continue;
    const std::tuple key{line.host, line.pid, line.thread};
    if (line.text.starts_with("=== System")) {
      open.erase(key);
      open.emplace(key, System(std::string(line.host), line.number));
      continue;
    }
    const auto system = open.find(key);
    if (system == open.end()) continue;
    if (!line.text.starts_with("======")) {
      system->second.add(line.text, indent_of(line.text, text));
      continue;
    }
    if (!system->second.empty()) {
      system->second.resolve();
      hosts.push_back(system->second.finish());
      done.insert(line.host);
    }
    open.erase(system);
  }
  return hosts;
}

}  // namespace tutti
