/// @file  A topology as text that people like to read: the machine as a tree, its matrix, its oddities.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "topology/cpu_list.hpp"
#include "topology/describe.hpp"
#include "topology/text.hpp"
#include "tutti/base/units.hpp"
#include "tutti/topology/facts.hpp"
#include "tutti/topology/write.hpp"

namespace tutti {

namespace {

class TextWriting {
 public:
  explicit TextWriting(const Topology& topology) : topology_(topology) {}

  std::string write() {
    const std::size_t hosts = topology_.hosts().size();
    for (std::size_t host = 0; host < std::min(hosts, most_hosts); ++host) write_host(static_cast<int>(host));
    if (hosts > most_hosts) text_ += fmt::format("\nand {} more hosts\n", hosts - most_hosts);
    if (topology_.empty()) write_nothing();
    write_networks();
    if (const auto matrix = to_matrix(topology_); !matrix.empty()) text_ += "\n" + matrix;
    write_facts();
    write_oddities();
    if (text_.find('~') != std::string::npos) text_ += "\n~ assumed from tables of known hardware, not read\n";
    return std::move(text_);
  }

 private:
  void write_host(int index) {
    const HostFacts& facts = topology_.hosts()[static_cast<std::size_t>(index)];
    if (index > 0) text_ += '\n';
    text_ += (facts.host.empty() ? topology_.name() : facts.host) + ":";
    std::vector<std::string> parts;
    const auto add = [&](int count, const char* one, const char* many) {
      if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
    };
    add(facts.packages, "socket", "sockets");
    add(facts.cores, "core", "cores");
    add(facts.cpus, "CPU", "CPUs");
    if (facts.memory_bytes > 0) parts.push_back(format_bytes(facts.memory_bytes));
    if (facts.l1_bytes > 0) parts.push_back("L1 " + format_bytes(facts.l1_bytes));
    if (facts.l2_bytes > 0) parts.push_back("L2 " + format_bytes(facts.l2_bytes));
    if (facts.l3_bytes > 0) {
      parts.push_back(fmt::format("L3 {} for {} CPUs", format_bytes(facts.l3_bytes), facts.cpus_per_l3));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) text_ += (i == 0 ? " " : ", ") + parts[i];
    text_ += '\n';
    if (!facts.cpu_model.empty()) text_ += "  " + facts.cpu_model + "\n";
    if (facts.cpus > 0 && !facts.allowed_cpus.empty() && static_cast<int>(facts.allowed_cpus.size()) < facts.cpus) {
      text_ += fmt::format("  this process may use {} CPUs: {}\n", facts.allowed_cpus.size(),
                           format_cpu_list(facts.allowed_cpus));
    }
    const auto memory_only = std::count_if(facts.numa_nodes.begin(), facts.numa_nodes.end(),
                                           [](const NumaNode& node) { return node.cpus.empty(); });
    if (memory_only > 0 && facts.numa_nodes.size() > 1)
      text_ += fmt::format("  {} NUMA nodes with memory only\n", memory_only);
    std::vector<int> tops;
    for (const int id : topology_.devices_of(index)) {
      const bool outside = topology_.device(id).kind == DeviceKind::network_switch;
      if (topology_.parent(id) < 0 && !outside) tops.push_back(id);
    }
    for (std::size_t i = 0; i < tops.size(); ++i) write_device(tops[i], "", i + 1 == tops.size());
    write_gpu_links(index);
  }

  void write_nothing() {
    const auto& source = topology_.source();
    text_ += fmt::format("{}: no devices: {} lists none\n", topology_.name().empty() ? "topology" : topology_.name(),
                         source.empty() ? "it" : "this source (" + source + ")");
  }

  void write_device(int id, const std::string& indent, bool last) {
    const Device& device = topology_.device(id);
    text_ += indent + (last ? "└─ " : "├─ ") + words_for(device) + "\n";
    const std::string below = indent + (last ? "   " : "│  ");
    const auto children = topology_.children(id);
    for (std::size_t i = 0; i < children.size(); ++i) write_device(children[i], below, i + 1 == children.size());
  }

  std::string words_for(const Device& device) {
    std::string words = device.name;
    if (device.kind == DeviceKind::cpu) return words + cpu_words(device);
    if (!device.pci.empty() && words.find(device.pci) == std::string::npos) words += " " + device.pci;
    if (!device.model.empty()) words += "  " + device.model;
    if (device.rank >= 0) words += fmt::format("  rank {}", device.rank);
    if (device.kind == DeviceKind::nic) {
      if (const auto speed = port_speed(device); speed.known()) words += "  port " + describe_bandwidth(speed);
      if (const auto state = device.attributes.find("state");
          state != device.attributes.end() && state->second != "active") {
        words += "  " + state->second;
      }
    }
    for (const int index : topology_.links_of(device.id)) {
      const Link& link = topology_.links()[static_cast<std::size_t>(index)];
      if (link.kind != LinkKind::pci || link.to != device.id || !link.bandwidth.known()) continue;
      const auto lanes = describe_lanes(link);
      words += fmt::format("  {}{}", describe_bandwidth(link.bandwidth), lanes.empty() ? "" : " " + lanes);
    }
    return words;
  }

  std::string cpu_words(const Device& cpu) const {
    const auto& facts = topology_.hosts()[static_cast<std::size_t>(cpu.host)];
    for (const NumaNode& node : facts.numa_nodes) {
      if (node.index != cpu.numa_node) continue;
      std::string words;
      if (node.package >= 0) words += fmt::format("  socket {}", node.package);
      if (!node.cpus.empty()) words += "  CPUs " + format_cpu_list(node.cpus);
      if (node.memory_bytes > 0) words += "  " + format_bytes(node.memory_bytes);
      return words;
    }
    return {};
  }

  /// What runs beside the tree, grouped: links of one kind, count and bandwidth are one line.
  void write_gpu_links(int host) {
    std::map<std::string, std::vector<const Link*>> groups;
    std::vector<std::string> order;
    for (const Link& link : topology_.links()) {
      if (topology_.device(link.from).host != host || to_switch(link)) continue;
      if (link.kind == LinkKind::pci || link.kind == LinkKind::local || link.kind == LinkKind::network) continue;
      const auto kind = link_words(link.kind, link.count, link.bandwidth);
      if (groups[kind].empty()) order.push_back(kind);
      groups[kind].push_back(&link);
    }
    for (const auto& kind : order) write_list(kind + ":", ends_of(groups[kind]));
    write_switched(host);
  }

  bool to_switch(const Link& link) const {
    return topology_.device(link.from).kind == DeviceKind::nv_switch ||
           topology_.device(link.to).kind == DeviceKind::nv_switch;
  }

  static std::string link_words(LinkKind kind, int count, const Quantity& bandwidth) {
    std::string words(name(kind));
    if (count > 1) words += fmt::format(" x{}", count);
    if (bandwidth.known()) words += " " + describe_bandwidth(bandwidth);
    return words;
  }

  std::vector<std::string> ends_of(const std::vector<const Link*>& links) const {
    std::set<int> devices;
    bool both_ways = true;
    for (const Link* link : links) {
      devices.insert({link->from, link->to});
      both_ways = both_ways && !link->one_way;
    }
    if (both_ways && devices.size() > 2 && links.size() == devices.size() * (devices.size() - 1) / 2) {
      std::vector<std::string> names{"all pairs of"};
      for (const int id : devices) names.push_back(topology_.device(id).name);
      return names;
    }
    std::vector<std::string> ends;
    for (const Link* link : links) {
      ends.push_back(topology_.device(link->from).name + (link->one_way ? "→" : "–") + topology_.device(link->to).name);
    }
    return ends;
  }

  /// A GPU's links to NVSwitches, all together; GPUs that have the same are one line.
  void write_switched(int host) {
    std::map<std::string, std::vector<std::string>> gpus_with;
    for (const int gpu : topology_.all(DeviceKind::gpu)) {
      if (topology_.device(gpu).host != host) continue;
      std::set<std::string> switches;
      int count = 0;
      Quantity bandwidth = Quantity::read(0);
      for (const int index : topology_.links_of(gpu)) {
        const Link& link = topology_.links()[static_cast<std::size_t>(index)];
        if (!to_switch(link)) continue;
        count += link.count;
        bandwidth = {bandwidth.value + link.bandwidth.value, std::min(bandwidth.origin, link.bandwidth.origin)};
        switches.insert(topology_.device(link.from == gpu ? link.to : link.from).name);
      }
      if (count == 0) continue;
      gpus_with[fmt::format("{} each to {}:", link_words(LinkKind::nvlink, count, bandwidth), fmt::join(switches, " "))]
          .push_back(topology_.device(gpu).name);
    }
    for (const auto& [what, gpus] : gpus_with) write_list(what, gpus);
  }

  void write_list(const std::string& title, const std::vector<std::string>& items) {
    text_ += "  " + title;
    std::size_t width = title.size() + 2;
    for (const auto& item : items) {
      if (width + item.size() + 1 > 110) {
        text_ += "\n     ";
        width = 5;
      }
      text_ += " " + item;
      width += item.size() + 1;
    }
    text_ += '\n';
  }

  void write_networks() {
    for (const int id : topology_.all(DeviceKind::network_switch)) {
      const Device& device = topology_.device(id);
      text_ += fmt::format("{} {}: {} links\n", device.name, device.model, topology_.links_of(id).size());
    }
  }

  void write_facts() {
    std::map<std::string, std::vector<std::string>> same;  // GPUs by what is nearest to them
    std::vector<std::string> order;
    auto gpus = topology_.all(DeviceKind::gpu);
    gpus.resize(std::min(gpus.size(), most_gpus));
    for (const int gpu : gpus) {
      const auto nearest = nearest_nics(topology_, gpu);
      if (nearest.nics.empty()) continue;
      std::vector<std::string> names;
      for (const int nic : nearest.nics) names.push_back(topology_.device(nic).name);
      const auto words = fmt::format("{} ({}{}{})", fmt::join(names, " "), name(nearest.path),
                                     nearest.bandwidth.known() ? ", " : "", describe_bandwidth(nearest.bandwidth));
      if (same[words].empty()) order.push_back(words);
      same[words].push_back(topology_.device(gpu).name);
    }
    if (!order.empty()) text_ += "\nNearest adapters:\n";
    for (const auto& words : order) text_ += fmt::format("  {}: {}\n", fmt::join(same[words], " "), words);
    if (topology_.all(DeviceKind::gpu).size() < 2) return;
    std::string possible;
    for (const auto collective : {Collective::all_reduce, Collective::all_to_all}) {
      const auto bound = possible_bandwidth(topology_, collective);
      if (!bound.bus_bandwidth.known()) continue;
      possible += fmt::format("  {}: {} ({})\n", name(collective), describe_bandwidth(bound.bus_bandwidth), bound.why);
    }
    if (!possible.empty()) text_ += "\nBus bandwidth that the links allow over all GPUs:\n" + possible;
  }

  void write_oddities() {
    std::vector<std::string> odd(topology_.notes().begin(), topology_.notes().end());
    for (const auto& degraded : degraded_links(topology_)) odd.push_back(degraded.what);
    constexpr std::size_t most = 40;
    if (!odd.empty()) text_ += "\nOddities:\n";
    for (std::size_t i = 0; i < std::min(odd.size(), most); ++i) text_ += "  " + odd[i] + "\n";
    if (odd.size() > most) text_ += fmt::format("  and {} more\n", odd.size() - most);
  }

  static constexpr std::size_t most_hosts = 16;  // beyond these nobody reads on
  static constexpr std::size_t most_gpus = 1024;

  const Topology& topology_;
  std::string text_;
};

}  // namespace

std::string to_text(const Topology& topology) { return printable_lines(TextWriting(topology).write()); }

std::ostream& operator<<(std::ostream& out, const Topology& topology) { return out << to_text(topology); }

}  // namespace tutti
