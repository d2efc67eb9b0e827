/// @file  NCCL topology XML, and RCCL's dialect of it, as a topology.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topology/cpu_list.hpp"
#include "topology/gpu_links.hpp"
#include "topology/pci_id.hpp"
#include "topology/rates.hpp"
#include "topology/reader.hpp"
#include "topology/sockets.hpp"
#include "topology/text.hpp"
#include "topology/xml.hpp"

namespace tutti {

namespace {

using Node = pugi::xml_node;

class NcclReading {
 public:
  static constexpr std::size_t max_cpus = 512;  // NVL72: 36 with two each

  NcclReading(std::string_view text, const std::string& name) : xml_(text, name), links_(parts_) {
    parts_.name = name;
    parts_.source = nccl_xml_reader.kind;
  }

  Topology read() {
    const Node system = xml_.root();
    const auto version = required_number(system, "version");
    if (version != 1 && version != 2) {
      xml_.refuse(system, fmt::format("version {} of the format; 1 (NCCL) and 2 (RCCL) are understood", version));
    }
    for (const Node node : system.children()) {
      if (is(node, "cpu")) {
        read_cpu(node);
      } else {
        pass_over(node);
      }
    }
    if (parts_.devices.empty()) xml_.refuse(system, "expected a <cpu> in <system>, found none");
    links_.resolve();
    name_the_unnamed();
    join_sockets(parts_);
    return Topology(std::move(parts_));
  }

 private:
  static bool is(Node node, std::string_view name) { return name == node.name(); }

  void pass_over(Node node) {
    if (node.type() != pugi::node_element) return;
    if (passed_over_.insert(node.name()).second) {
      note(node, fmt::format("<{}> is not known here and passed over", shown(node.name(), 40)));
    }
  }

  void note(Node node, const std::string& what) {
    parts_.notes.push_back(fmt::format("line {}: {}", xml_.line(node), what));
  }

  /// As NCCL reads numbers: decimal, 0x hex, what follows the digits is dropped. Nothing when there are no digits.
  static std::optional<long> number(std::string_view text) {
    text = trim(text);
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc{} || value > 1'000'000'000'000) return {};
    return negative ? -value : value;
  }

  long required_number(Node node, const char* key) {
    const auto value = number(node.attribute(key).value());
    if (!value) {
      xml_.refuse(node, fmt::format("expected a number in {}=\"{}\" of <{}>", key,
                                    shown(node.attribute(key).value(), 40), node.name()));
    }
    return *value;
  }

  int number_or(Node node, const char* key, int fallback) {
    const auto attribute = node.attribute(key);
    if (!attribute || *attribute.value() == '\0') return fallback;
    const long value = required_number(node, key);
    if (value < -1 || value > 100'000'000) {
      xml_.refuse(node, fmt::format("{}=\"{}\" of <{}> is out of range", key, value, node.name()));
    }
    return static_cast<int>(value);
  }

  /// Everything the element says, but for what became a field of its own.
  static void keep_attributes(Node node, Device& device, std::initializer_list<std::string_view> but) {
    for (const auto attribute : node.attributes()) {
      const std::string_view key = attribute.name();
      if (std::find(but.begin(), but.end(), key) == but.end()) device.attributes.emplace(key, attribute.value());
    }
  }

  void read_cpu(Node node) {
    const auto numa = required_number(node, "numaid");
    if (numa < -1 || numa > 1023) xml_.refuse(node, fmt::format("numaid {} is out of range", numa));
    const int host = host_of(node);
    HostFacts& facts = parts_.hosts[static_cast<std::size_t>(host)];
    if (numa_seen_.size() >= max_cpus) xml_.refuse(node, fmt::format("more than {} <cpu> elements", max_cpus));
    if (!numa_seen_.emplace(host, numa).second) {
      xml_.refuse(node, fmt::format("a second <cpu> with numaid {} on the same host", numa));
    }
    Device cpu{.kind = DeviceKind::cpu,
               .name = numa < 0 ? std::string("numa?") : fmt::format("numa{}", numa),
               .numa_node = static_cast<int>(numa),
               .host = host};
    keep_attributes(node, cpu, {"numaid"});
    if (const std::string_view affinity = node.attribute("affinity").value(); !affinity.empty()) {
      if (auto cpus = parse_cpu_mask(affinity)) {
        facts.cpus += static_cast<int>(cpus->size());
        facts.numa_nodes.push_back({.index = static_cast<int>(std::max(numa, 0L)), .cpus = std::move(*cpus)});
      } else {
        note(node, fmt::format("affinity \"{}\" is no CPU mask", shown(affinity, 60)));
      }
    }
    cpu_ = parts_.add(std::move(cpu));
    for (const Node child : node.children()) read_below(child, cpu_);
  }

  int host_of(Node cpu) {
    const std::string hash = cpu.attribute("host_hash").value();
    const auto [known, fresh] = hosts_.emplace(hash, static_cast<int>(parts_.hosts.size()));
    if (fresh) {
      HostFacts host{.host = hash.empty() ? std::string{} : "host " + hash,
                     .architecture = cpu.attribute("arch").value(),
                     .cpu_vendor = cpu.attribute("vendor").value(),
                     .cpu_family = number_or(cpu, "familyid", -1),
                     .cpu_model_number = number_or(cpu, "modelid", -1)};
      // NCCL writes the raw fields of CPUID, base family in the low four bits.
      if (host.cpu_family > 15 && host.cpu_family % 16 == 15) host.cpu_family = 15 + host.cpu_family / 16;
      parts_.hosts.push_back(std::move(host));
    }
    return known->second;
  }

  void read_below(Node node, int parent) {
    if (is(node, "pci")) {
      read_pci(node, parent);
    } else if (is(node, "nic")) {  // not on PCI
      Device nic = below(DeviceKind::nic, parent);
      read_nets(node, nic, Link{.kind = LinkKind::local, .from = parent, .bandwidth = Quantity::assumed(rates::local)});
    } else if (is(node, "pcilink")) {
      links_.peer(parent, node.attribute("target").value());
    } else {
      pass_over(node);
    }
  }

  Device below(DeviceKind kind, int parent) const {
    const Device& above = parts_.devices[static_cast<std::size_t>(parent)];
    return Device{.kind = kind, .numa_node = above.numa_node, .host = above.host};
  }

  void read_pci(Node node, int parent) {
    const std::string_view busid = node.attribute("busid").value();
    if (!pci_number(busid)) {
      xml_.refuse(node, fmt::format("expected a bus id such as 0000:1b:00.0 in busid=\"{}\"", shown(busid, 40)));
    }
    Device device = below(kind_of(node), parent);
    device.pci = normal_pci(busid);
    keep_attributes(node, device, {"busid"});
    if (!buses_.emplace(device.host, device.pci).second) note(node, fmt::format("{} is listed twice", device.pci));
    const Link link = pci_link(node, parent);
    if (device.kind == DeviceKind::gpu) {
      read_gpus(node, device, link);
    } else if (device.kind == DeviceKind::nic && node.child("nic")) {
      for (const Node nic : node.children("nic")) read_nets(nic, device, link);
    } else {
      if (device.kind == DeviceKind::pci_switch) device.name = "switch " + device.pci;
      if (device.kind == DeviceKind::other) {
        device.name = device.pci;
        note(node, fmt::format("{} is of unknown kind (class \"{}\")", device.pci, node.attribute("class").value()));
      }
      const int id = add_below(std::move(device), link);
      for (const Node child : node.children()) read_below(child, id);
    }
  }

  /// What hangs below decides more than the class does.
  static DeviceKind kind_of(Node node) {
    const std::string_view pci_class = node.attribute("class").value();
    if (node.child("gpu")) return DeviceKind::gpu;
    if (node.child("nic")) return DeviceKind::nic;
    if (node.child("pci")) return DeviceKind::pci_switch;
    if (pci_class.starts_with("0x068000")) return DeviceKind::nv_switch;
    if (pci_class.starts_with("0x0604") || pci_class.starts_with("0x0801")) return DeviceKind::pci_switch;
    if (pci_class.starts_with("0x03") || pci_class.starts_with("0x12")) return DeviceKind::gpu;
    if (pci_class.starts_with("0x02")) return DeviceKind::nic;
    return DeviceKind::other;
  }

  Link pci_link(Node node, int parent) {
    const std::string_view speed = node.attribute("link_speed").value();
    Link link{.kind = LinkKind::pci, .from = parent, .latency = Quantity::assumed(rates::latency(LinkKind::pci))};
    const int width = number_or(node, "link_width", 0);
    link.lanes = width > 0 ? Quantity::read(width) : Quantity::assumed(16);
    double gigatransfers = 0;
    std::from_chars(speed.data(), speed.data() + speed.size(), gigatransfers);
    const bool sane = gigatransfers >= 2.5 && gigatransfers <= 64;
    link.speed = sane ? Quantity::read(gigatransfers) : Quantity::assumed(8);
    if (!speed.empty() && !sane)
      note(node, fmt::format("link_speed \"{}\" is no PCI speed; 8 GT/s assumed", shown(speed, 40)));
    if (sane && speed.find('.') != std::string_view::npos && gigatransfers != 2.5 &&
        speed.find("PCIe") == std::string_view::npos) {
      note(node,
           fmt::format("link_speed \"{}\": NCCL does not know this spelling and plans with 8 GT/s", shown(speed, 40)));
    }
    const auto rate = rates::pci(link.speed.value, static_cast<int>(link.lanes.value));
    link.bandwidth = Quantity::assumed(rate.reached);
    const bool all_read = !link.speed.is_assumed() && !link.lanes.is_assumed();
    link.rated = all_read ? Quantity::read(rate.rated) : Quantity::assumed(rate.rated);
    return link;
  }

  int add_below(Device device, Link link) {
    link.to = parts_.add(std::move(device));
    parts_.add(link);
    return link.to;
  }

  void read_gpus(Node node, const Device& function, const Link& link) {
    bool any = false;
    for (const Node child : node.children()) {
      if (!is(child, "gpu")) {
        pass_over(child);
        continue;
      }
      any = true;
      Device gpu = function;
      gpu.index = number_or(child, "dev", -1);
      gpu.rank = number_or(child, "rank", -1);
      if (gpu.index >= 0) gpu.name = fmt::format("gpu{}", gpu.index);
      keep_attributes(child, gpu, {"dev", "rank"});
      const int id = add_below(std::move(gpu), link);
      for (const Node of_gpu : child.children()) read_gpu_link(of_gpu, id);
    }
    if (!any) add_below(function, link);
  }

  void read_gpu_link(Node node, int gpu) {
    if (is(node, "nvlink") || is(node, "xgmi")) {
      const int count = number_or(node, "count", 1);
      if (count < 1 || count > 1024)
        xml_.refuse(node, fmt::format("count {} of <{}> is out of range", count, node.name()));
      links_.gpu_link({.gpu = gpu,
                       .cpu = cpu_,
                       .target = node.attribute("target").value(),
                       .target_class = node.attribute("tclass").value(),
                       .count = count,
                       .kind = is(node, "xgmi") ? LinkKind::xgmi : LinkKind::nvlink,
                       .where = fmt::format("line {}", xml_.line(node))});
    } else if (is(node, "c2c")) {
      links_.chip_link(cpu_, gpu, number_or(node, "bw", 0), number_or(node, "count", 1));
    } else {
      pass_over(node);
    }
  }

  void read_nets(Node nic, const Device& function, const Link& link) {
    bool any = false;
    for (const Node net : nic.children()) {
      if (!is(net, "net")) {
        pass_over(net);
        continue;
      }
      any = true;
      Device port = function;
      port.name = net.attribute("name").value();
      port.index = number_or(net, "dev", -1);
      keep_attributes(net, port, {"name", "dev"});
      add_below(std::move(port), link);
    }
    if (!any) add_below(function, link);
  }

  void name_the_unnamed() {
    std::map<std::pair<int, DeviceKind>, int> next;
    for (Device& device : parts_.devices) {
      const int number = next[{device.host, device.kind}]++;
      if (device.name.empty()) device.name = fmt::format("{}{}", name(device.kind), number);
    }
  }

  Xml xml_;
  TopologyParts parts_;
  GpuLinks links_;
  int cpu_ = 0;  ///< the one being read
  std::map<std::string, int> hosts_;
  std::set<std::pair<int, long>> numa_seen_;
  std::set<std::pair<int, std::string>> buses_;
  std::set<std::string> passed_over_;
};

}  // namespace

const Reader nccl_xml_reader{
    .kind = "nccl-xml",
    .what = "NCCL topology XML",
    .recognises = [](std::string_view text) { return xml_root_name(text) == "system"; },
    .read = [](std::string_view text, const std::string& name) { return NcclReading(text, name).read(); }};

}  // namespace tutti
