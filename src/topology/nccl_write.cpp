/// @file  A topology as NCCL topology XML.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <vector>

#include "topology/cpu_list.hpp"
#include "topology/pci_id.hpp"
#include "topology/tree_from_classes.hpp"
#include "topology/xml.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/write.hpp"

namespace tutti {

namespace {

using Node = pugi::xml_node;

/// A number that may be absurd, as NCCL writes numbers.
int whole(double value) { return static_cast<int>(std::min(value, 1e9)); }

bool is_gpu_link(const Link& link) { return link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi; }

using Keys = std::initializer_list<const char*>;
constexpr std::array pci_keys{"class",      "vendor",    "device", "subsystem_vendor", "subsystem_device",
                              "link_speed", "link_width"};

class NcclWriting {
 public:
  explicit NcclWriting(const Topology& topology) : topology_(topology), all_(topology.source() == "nccl-xml") {
    for (const Device& device : topology.devices()) {
      if (const auto hash = device.attributes.find("host_hash"); hash != device.attributes.end()) {
        hashes_.insert(hash->second);
      }
      buses_.insert(device.pci);
    }
  }

  std::string write() {
    Node system = document_.append_child("system");
    system.append_attribute("version") = is_rccl() ? 2 : 1;
    for (const Device& device : topology_.devices()) {
      if (device.kind == DeviceKind::cpu) write_cpu(system, device);
    }
    for (const int gpu : topology_.all(DeviceKind::gpu)) {
      if (!written_.contains(gpu)) {
        throw Error(Code::invalid_argument,
                    fmt::format("{} hangs below no CPU, where NCCL looks for GPUs", topology_.device(gpu).name),
                    {.remedy = "give it a way of pci links from a device of kind \"cpu\""});
      }
    }
    if (!system.first_child()) {
      throw Error(
          Code::invalid_argument,
          fmt::format("{} lists no CPUs, GPUs or adapters: there is nothing for NCCL to read", topology_.name()));
    }
    std::ostringstream out;
    document_.save(out, "  ", pugi::format_indent | pugi::format_no_declaration, pugi::encoding_utf8);
    return out.str();
  }

 private:
  bool is_rccl() const {
    const auto links = topology_.links();
    const auto devices = topology_.devices();
    return std::any_of(links.begin(), links.end(), [](const Link& link) { return link.kind == LinkKind::xgmi; }) ||
           std::any_of(devices.begin(), devices.end(), [](const Device& d) { return d.attributes.contains("gcn"); });
  }

  /// The attributes named, in this order, as far as the device has them.
  template <class Keys>
  static void put(Node node, const Device& device, const Keys& keys) {
    for (const char* key : keys) {
      if (const auto at = device.attributes.find(key); at != device.attributes.end()) {
        node.append_attribute(key) = at->second.c_str();
      }
    }
  }

  /// In a topology that came from this form, whatever else a device's elements said.
  void put_rest(Node node, const Device& device) const {
    if (!all_) return;
    for (const auto& [key, value] : device.attributes) {
      const bool on_pci = !device.pci.empty() && std::find(pci_keys.begin(), pci_keys.end(), key) != pci_keys.end();
      if (!on_pci) put_missing(node, key.c_str(), value);
    }
  }

  static void put_missing(Node node, const char* key, const std::string& value) {
    if (!node.attribute(key) && !value.empty()) node.append_attribute(key) = value.c_str();
  }

  void write_cpu(Node system, const Device& cpu) {
    const HostFacts& host = topology_.hosts()[static_cast<std::size_t>(cpu.host)];
    Node node = system.append_child("cpu");
    node.append_attribute("numaid") = cpu.numa_node;
    put(node, cpu, Keys{"host_hash"});
    if (topology_.hosts().size() > 1) put_missing(node, "host_hash", hash_of(cpu.host));
    put(node, cpu, Keys{"affinity", "arch", "vendor", "familyid", "modelid"});
    if (!all_) {
      for (const NumaNode& numa : host.numa_nodes) {
        if (numa.index == cpu.numa_node) put_missing(node, "affinity", format_cpu_mask(numa.cpus));
      }
      put_missing(node, "arch", host.architecture.empty() ? "x86_64" : host.architecture);
      put_missing(node, "vendor", host.cpu_vendor);
      if (host.cpu_family >= 0) put_missing(node, "familyid", fmt::format("{}", host.cpu_family));
      if (host.cpu_model_number >= 0) put_missing(node, "modelid", fmt::format("{}", host.cpu_model_number));
    }
    put_rest(node, cpu);
    write_children(node, cpu.id);
  }

  /// For a host that has none: one that no other has.
  std::string hash_of(int host) const {
    std::size_t number = static_cast<std::size_t>(host) + 1;
    while (hashes_.contains(fmt::format("0x{:x}", number))) number += topology_.hosts().size();
    return fmt::format("0x{:x}", number);
  }

  /// For an adapter that has none: one that no device has.
  std::string placeholder_bus() {
    std::string bus;
    do {
      bus = fmt::format("ffff:{:02x}:{:02x}.{:x}", placeholders_ >> 8 & 0xff, placeholders_ >> 3 & 0x1f,
                        placeholders_ & 7);
    } while (++placeholders_ < 65536 && buses_.contains(bus));
    return bus;
  }

  void write_children(Node node, int id) {
    const auto children = topology_.children(id);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const Device& child = topology_.device(children[i]);
      // Ports of one adapter, and ranks of one GPU, are neighbours and share their element.
      std::vector<const Device*> together{&child};
      while (i + 1 < children.size() && shares_element(child, topology_.device(children[i + 1]))) {
        together.push_back(&topology_.device(children[++i]));
      }
      write_device(node, together);
    }
    for (const int index : topology_.links_of(id)) {
      const Link& link = topology_.links()[static_cast<std::size_t>(index)];
      if (link.kind == LinkKind::peer && link.from == id) {
        node.append_child("pcilink").append_attribute("target") = topology_.device(link.to).pci.c_str();
      }
    }
  }

  static bool shares_element(const Device& a, const Device& b) {
    return a.kind == b.kind && (a.kind == DeviceKind::gpu || a.kind == DeviceKind::nic) && a.pci == b.pci && named(a) &&
           named(b) && (a.kind == DeviceKind::nic || !a.pci.empty());
  }

  /// Did the source say more than that there is a PCI function? Only then NCCL's own element is written.
  static bool named(const Device& device) {
    return device.index >= 0 || device.rank >= 0 || device.attributes.contains("sm") ||
           device.attributes.contains("speed");
  }

  /// Would its class alone make it a GPU again?
  static bool has_gpu_class(const Device& device) {
    const auto at = device.attributes.find("class");
    return at == device.attributes.end() || at->second.starts_with("0x03") || at->second.starts_with("0x12");
  }

  void write_device(Node above, const std::vector<const Device*>& together) {
    const Device& device = *together.front();
    if (device.kind == DeviceKind::host_bridge) {
      write_children(above, device.id);  // NCCL knows no host bridges
      return;
    }
    if (device.kind == DeviceKind::other && !all_ && topology_.children(device.id).empty()) return;
    Node node = above;
    if (!device.pci.empty()) {
      node = above.append_child("pci");
      node.append_attribute("busid") = device.pci.c_str();
      put(node, device, pci_keys);
      if (!all_) complete_pci(node, device);
    } else if (device.kind == DeviceKind::gpu) {
      throw Error(Code::invalid_argument, fmt::format("{} has no PCI bus id, and NCCL finds GPUs by it", device.name),
                  {.remedy = "add --bus-ids gpu0=0000:1b:00.0,…"});
    } else if (device.kind == DeviceKind::nic && std::string_view(above.name()) == "pci") {
      // A <pci> with a <nic> in it is that adapter's, and what else hangs below it is not looked at.
      node = above.append_child("pci");
      node.append_attribute("busid") = placeholder_bus().c_str();
      complete_pci(node, device);
    }
    if (device.kind == DeviceKind::gpu) {
      for (const Device* gpu : together) {
        written_.insert(gpu->id);
        if (named(*gpu) || has_gpu_links(gpu->id) || !has_gpu_class(*gpu)) write_gpu(node, *gpu);
      }
    } else if (device.kind == DeviceKind::nic) {
      const bool placeholder = !all_ && device.pci.starts_with("ffff:");
      if (device.pci.empty() || placeholder || named(device)) write_nic(node, together);
    } else {
      put_rest(node, device);
      write_children(node, device.id);
    }
  }

  void complete_pci(Node node, const Device& device) const {
    const auto usual_class = [&]() -> const char* {
      switch (device.kind) {
        case DeviceKind::gpu:
          return is_rccl() ? "0x120000" : "0x030200";
        case DeviceKind::nic:
          return "0x020000";
        case DeviceKind::nv_switch:
          return "0x068000";
        default:
          return "0x060400";
      }
    };
    put_missing(node, "class", usual_class());
    for (const int index : topology_.links_of(device.id)) {
      const Link& link = topology_.links()[static_cast<std::size_t>(index)];
      if (link.kind != LinkKind::pci || link.to != device.id) continue;
      if (link.speed.known()) put_missing(node, "link_speed", fmt::format("{:.1f} GT/s PCIe", link.speed.value));
      if (link.lanes.known()) put_missing(node, "link_width", fmt::format("{}", whole(link.lanes.value)));
    }
  }

  bool has_gpu_links(int gpu) const {
    for (const int index : topology_.links_of(gpu)) {
      const Link& link = topology_.links()[static_cast<std::size_t>(index)];
      if (is_gpu_link(link) || link.kind == LinkKind::c2c) return true;
    }
    return false;
  }

  void write_gpu(Node pci, const Device& gpu) {
    Node node = pci.append_child("gpu");
    if (gpu.index >= 0) node.append_attribute("dev") = gpu.index;
    put(node, gpu, Keys{"sm", "gcn", "arch"});
    if (gpu.rank >= 0) node.append_attribute("rank") = gpu.rank;
    put(node, gpu, Keys{"gdr", "mlopart"});
    put_rest(node, gpu);
    if (!all_) {
      if (gpu.rank < 0 && gpu.index >= 0) put_missing(node, "rank", fmt::format("{}", gpu.index));
      put_missing(node, "gdr", "1");
    }
    for (const int index : topology_.links_of(gpu.id))
      write_gpu_link(node, gpu.id, topology_.links()[static_cast<std::size_t>(index)]);
  }

  void write_gpu_link(Node node, int gpu, const Link& link) {
    if (link.kind == LinkKind::c2c) {
      Node c2c = node.append_child("c2c");
      c2c.append_attribute("bw") = whole(link.bandwidth.value * 1000 / std::max(link.count, 1));
      c2c.append_attribute("count") = link.count;
      return;
    }
    if (!is_gpu_link(link) || (link.one_way && link.from != gpu)) return;
    const Device& other = topology_.device(link.from == gpu ? link.to : link.from);
    Node entry = node.append_child(link.kind == LinkKind::xgmi ? "xgmi" : "nvlink");
    const auto hidden = other.attributes.find("target");
    entry.append_attribute("target") = hidden != other.attributes.end() ? hidden->second.c_str()
                                       : other.pci.empty()              ? "fffffff:ffff:ff"
                                                                        : other.pci.c_str();
    entry.append_attribute("count") = link.count;
    const auto its_class = other.attributes.find("class");
    entry.append_attribute("tclass") = other.kind == DeviceKind::cpu         ? "0x068001"
                                       : other.kind == DeviceKind::nv_switch ? "0x068000"
                                       : its_class != other.attributes.end() ? its_class->second.c_str()
                                       : is_rccl()                           ? "0x120000"
                                                                             : "0x030200";
  }

  void write_nic(Node above, const std::vector<const Device*>& ports) {
    Node nic = above.append_child("nic");
    for (const Device* port : ports) {
      Node net = nic.append_child("net");
      net.append_attribute("name") = port->name.c_str();
      if (port->index >= 0) net.append_attribute("dev") = port->index;
      put(net, *port,
          Keys{"speed", "latency", "port", "guid", "maxconn", "gdr", "coll", "net", "gin", "rma", "rail", "plane"});
      put_rest(net, *port);
    }
  }

  const Topology& topology_;
  bool all_;                        ///< the topology came from this form: write what it had, complete nothing
  std::set<std::string> hashes_{};  ///< of hosts that have one
  std::set<std::string> buses_{};   ///< of all devices
  unsigned placeholders_ = 0;       ///< made so far
  std::set<int> written_{};         ///< GPUs
  pugi::xml_document document_;
};

}  // namespace

std::string to_nccl_xml(const Topology& topology) {
  const Topology with_tree = tree_from_classes(topology);
  return NcclWriting(with_tree).write();
}

}  // namespace tutti
