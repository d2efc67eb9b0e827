/// @file  hwloc XML of versions 1 to 3 as a topology: the processors, and the PCI tree below them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topology/hwloc_distances.hpp"
#include "topology/hwloc_objects.hpp"
#include "topology/idle_links.hpp"
#include "topology/pci_id.hpp"
#include "topology/rates.hpp"
#include "topology/reader.hpp"
#include "topology/sockets.hpp"
#include "topology/text.hpp"
#include "topology/xml.hpp"

namespace tutti {

namespace {

using namespace hwloc_xml;

/// Where in the PCI tree an object hangs. Bridges alternate: a root port, then a switch's upper port, then one of
/// its lower ports, then the next switch's upper port. Only upper ports become devices.
struct Place {
  int above = -1;                 ///< the device above
  bool under_upper_port = false;  ///< the next bridge is a lower port
  bool in_root_complex = true;    ///< the next bridge is a root port
  double port_rated = 0;          ///< GB/s of the folded port above; 0: not known
};

class HwlocReading {
 public:
  HwlocReading(std::string_view text, const std::string& name) : xml_(text, name) {
    parts_.name = name;
    parts_.source = hwloc_xml_reader.kind;
    parts_.hosts.resize(1);
  }

  Topology read() {
    const Node root = xml_.root();
    const std::string_view version = root.attribute("version").value();
    version_ = version.empty() ? 1 : version[0] - '0';
    if (version_ < 1 || version_ > 3) {
      xml_.refuse(root, fmt::format("hwloc XML of version \"{}\"; 1, 2 and 3 are understood", shown(version, 20)));
    }
    const Node machine = root.child("object");
    if (!is(machine, "Machine")) xml_.refuse(root, "expected an <object type=\"Machine\"> in <topology>");
    read_host(machine);
    count(machine);
    finish_facts(machine);
    add_cpus(machine);
    if (cpu_of_node_.empty()) xml_.refuse(machine, "expected a NUMANode or a PU, found none");
    read_io(machine, {}, cpu_of_node_.begin()->second);
    number_gpus();
    doubt_idle_links(parts_, for_gpus_only_);
    join_sockets(parts_);
    read_hwloc_distances(root, parts_, by_gp_index_);
    if (parts_.hosts[0].host.empty()) parts_.hosts[0].host = info(machine, "DMIProductName");
    return Topology(std::move(parts_));
  }

 private:
  HostFacts& host() { return parts_.hosts[0]; }

  void read_host(Node machine) {
    host().host = info(machine, "HostName");
    host().architecture = info(machine, "Architecture");
    host().allowed_cpus = numbers_of(machine, "allowed_cpuset");
  }

  /// All that is counted or found anywhere: packages, cores, CPUs, caches, NUMA nodes.
  void count(Node object) {
    if (is(object, "Package") || is(object, "Socket")) {
      packages_.emplace_back(static_cast<int>(number(object, "os_index", host().packages)),
                             numbers_of(object, "cpuset"));
      if (++host().packages == 1) read_processor(object);
    } else if (is(object, "NUMANode")) {
      const long index = number(object, "os_index", -1);
      if (index < 0 || index > 4095) xml_.refuse(object, "a NUMANode without a sane os_index");
      host().numa_nodes.push_back(
          {.index = static_cast<int>(index),
           .cpus = numbers_of(object, "cpuset"),
           .memory_bytes = static_cast<std::size_t>(std::max(number(object, "local_memory", 0), 0L))});
    } else if (is(object, "Core")) {
      ++host().cores;
    } else if (is(object, "PU")) {
      ++host().cpus;
      all_cpus_.push_back(static_cast<int>(std::clamp(number(object, "os_index", 0), 0L, 65'535L)));
    } else {
      read_cache(object);
    }
    for (const Node child : object.children("object")) count(child);
  }

  void read_processor(Node package) {
    host().cpu_vendor = info(package, "CPUVendor");
    host().cpu_model = info(package, "CPUModel");
    const auto whole = [&](const char* key) {
      const auto text = info(package, key);
      return text.empty() ? -1 : number_after(text, "");
    };
    host().cpu_family = whole("CPUFamilyNumber");
    host().cpu_model_number = whole("CPUModelNumber");
    if (host().architecture.empty() && host().cpu_model.starts_with("POWER")) host().architecture = "ppc64le";
    if (host().architecture.empty() && !info(package, "CPUImplementer").empty()) host().architecture = "arm64";
    if (host().architecture.empty() && !host().cpu_vendor.empty()) host().architecture = "x86_64";
  }

  void read_cache(Node object) {
    const std::string_view type = object.attribute("type").value();
    long level = 0;
    if (type == "Cache" && number(object, "cache_type", 0) != 2) level = number(object, "depth", 0);
    if (type.size() == 7 && type.starts_with('L') && type.ends_with("Cache")) level = type[1] - '0';
    const auto bytes = static_cast<std::size_t>(std::max(number(object, "cache_size", 0), 0L));
    if (level == 1 && host().l1_bytes == 0) host().l1_bytes = bytes;
    if (level == 2 && host().l2_bytes == 0) host().l2_bytes = bytes;
    if (level == 3 && host().l3_bytes == 0) {
      host().l3_bytes = bytes;
      host().cpus_per_l3 = static_cast<int>(numbers_of(object, "cpuset").size());
    }
  }

  void finish_facts(Node machine) {
    auto& nodes = host().numa_nodes;
    if (nodes.empty() && !all_cpus_.empty()) {  // before hwloc 2 a machine could have none
      nodes.push_back({.index = 0, .cpus = all_cpus_});
      nodes[0].memory_bytes = static_cast<std::size_t>(std::max(number(machine, "local_memory", 0), 0L));
      auto& cpus = nodes[0].cpus;
      std::sort(cpus.begin(), cpus.end());
      cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());  // a damaged file may name one twice
    }
    std::sort(nodes.begin(), nodes.end(), [](const NumaNode& a, const NumaNode& b) { return a.index < b.index; });
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      if (nodes[i].index == nodes[i - 1].index) xml_.refuse(machine, fmt::format("two NUMANodes {}", nodes[i].index));
    }
    for (NumaNode& node : nodes) {
      host().memory_bytes += node.memory_bytes;
      for (const auto& [index, cpus] : packages_) {
        if (!node.cpus.empty() && std::binary_search(cpus.begin(), cpus.end(), node.cpus.front())) node.package = index;
      }
    }
  }

  void add_cpus(Node machine) {
    if (host().numa_nodes.size() > 1024) xml_.refuse(machine, "more than 1024 NUMANodes");
    for (const NumaNode& node : host().numa_nodes) {
      if (node.cpus.empty() && host().numa_nodes.size() > 1) continue;
      cpu_of_node_[node.index] = parts_.add(Device{.kind = DeviceKind::cpu,
                                                   .name = fmt::format("numa{}", node.index),
                                                   .model = host().cpu_model,
                                                   .numa_node = node.index});
    }
  }

  /// Goes down to what hangs on PCI, knowing the nearest NUMA node: `cpu`, that of the last set with one node in it.
  void read_io(Node object, const Place& place, int cpu) {
    if (const auto nodes = numbers_of(object, "nodeset"); !nodes.empty()) {
      std::vector<int> with_cpus;
      for (const int node : nodes) {
        if (const auto at = cpu_of_node_.find(node); at != cpu_of_node_.end()) with_cpus.push_back(at->second);
      }
      if (!with_cpus.empty()) cpu = with_cpus.front();
      several_nodes_ = with_cpus.size() > 1;
    }
    if (is(object, "Package") || is(object, "Socket")) by_gp_index_[number(object, "gp_index", -1)] = cpu;
    const bool several = several_nodes_;
    for (const Node child : object.children("object")) {
      several_nodes_ = several;
      if (is(child, "Bridge")) {
        read_bridge(child, place, cpu);
      } else if (is(child, "PCIDev")) {
        read_function(child, place.above < 0 ? Place{.above = cpu} : place);
      } else if (is(child, "OSDev")) {
        if (os_device(child, version_) == OsDevice::network) add_virtual_nic(child, cpu);
      } else {
        read_io(child, {}, cpu);
      }
    }
  }

  void read_bridge(Node bridge, const Place& place, int cpu) {
    Place below = place.above < 0 ? Place{.above = cpu} : place;
    const bool is_host_bridge = std::string_view(bridge.attribute("bridge_type").value()).starts_with("0");
    if (is_host_bridge) {
      std::string_view buses = bridge.attribute("bridge_pci").value();
      buses = buses.substr(0, buses.find('-'));
      std::string label(buses);
      std::erase(label, '[');
      Device device = below_cpu(DeviceKind::host_bridge, below.above);
      device.name = "bridge " + label;
      below = Place{.above = add_below(std::move(device), local_link(below.above))};
    } else if (below.in_root_complex || below.under_upper_port) {  // a root port, or a lower port: folded
      below.in_root_complex = below.under_upper_port = false;
      below.port_rated = link_rated(bridge);
    } else {
      Device device = pci_device(bridge, DeviceKind::pci_switch, below.above);
      device.name = "switch " + device.pci;
      const Link link = pci_link(bridge, below);
      below = Place{.above = add_below(std::move(device), link), .under_upper_port = true, .in_root_complex = false};
    }
    const std::size_t before = parts_.devices.size();
    read_io(bridge, below, cpu);
    // A GPU may come with a switch of its own, which sleeps with it.
    const bool gpus_only =
        std::all_of(parts_.devices.begin() + static_cast<std::ptrdiff_t>(before), parts_.devices.end(),
                    [](const Device& d) { return d.kind == DeviceKind::gpu || d.kind == DeviceKind::pci_switch; });
    if (below.under_upper_port && gpus_only && parts_.devices.size() > before) for_gpus_only_.insert(below.above);
  }

  Device below_cpu(DeviceKind kind, int above) {
    const Device& parent = parts_.devices[static_cast<std::size_t>(above)];
    Device device{.kind = kind, .numa_node = several_nodes_ ? -1 : parent.numa_node};
    return device;
  }

  Device pci_device(Node object, DeviceKind kind, int above) {
    Device device = below_cpu(kind, above);
    device.pci = normal_pci(object.attribute("pci_busid").value());
    if (!pci_number(device.pci)) {
      xml_.refuse(object,
                  fmt::format("expected a bus id such as 0000:1b:00.0 in pci_busid=\"{}\"", shown(device.pci, 40)));
    }
    if (const auto type = pci_type(object)) {
      device.attributes["class"] = fmt::format("0x{:06x}", type->function.pci_class);
      device.attributes["vendor"] = fmt::format("0x{:04x}", type->function.vendor);
      device.attributes["device"] = fmt::format("0x{:04x}", type->function.device);
      device.attributes["subsystem_vendor"] = fmt::format("0x{:04x}", type->sub_vendor);
      device.attributes["subsystem_device"] = fmt::format("0x{:04x}", type->sub_device);
    }
    device.model = info(object, "PCIDevice");
    if (device.model.empty()) device.model = object.attribute("name").value();
    return device;
  }

  static double link_rated(Node object) {
    return std::clamp(object.attribute("pci_link_speed").as_double(), 0.0, 1000.0);
  }

  static Link local_link(int above) {
    return Link{.kind = LinkKind::local, .from = above, .bandwidth = Quantity::assumed(rates::local)};
  }

  /// Both ends tell of the link between them: the device, and the port above. Where they differ the lower one holds: what
  /// a device says may be what it could do.
  Link pci_link(Node object, const Place& place) {
    Link link{.kind = LinkKind::pci, .from = place.above, .latency = Quantity::assumed(rates::latency(LinkKind::pci))};
    const double own = link_rated(object);
    const double port = place.port_rated;
    const double rated = own > 0 && port > 0 ? std::min(own, port) : std::max(own, port);
    if (rated <= 0) return link;
    if (own > 0 && port > 0 && std::abs(own - port) > 0.05 * std::max(own, port)) {
      parts_.notes.push_back(
          fmt::format("{}: its link carries {:.4g} GB/s by what it says, {:.4g} by the port above; the "
                      "lower counts",
                      normal_pci(object.attribute("pci_busid").value()), own, port));
    }
    const auto trained = rates::pci_link_of(rated);
    link.rated = Quantity::read(rated);
    link.lanes = Quantity::assumed(trained.lanes);
    link.speed = Quantity::assumed(trained.gigatransfers);
    link.bandwidth = Quantity::assumed(rates::pci(trained.gigatransfers, trained.lanes).reached);
    return link;
  }

  int add_below(Device device, Link link) {
    link.to = parts_.add(std::move(device));
    parts_.add(link);
    return link.to;
  }

  void read_function(Node object, const Place& place) {
    const auto type = pci_type(object);
    std::vector<Node> gpu_names;
    std::vector<Node> net_names;
    std::vector<Node> fabric_names;
    std::string all_names;
    for (const Node child : object.children("object")) {
      if (!is(child, "OSDev")) continue;
      const std::string name = child.attribute("name").value();
      all_names += (all_names.empty() ? "" : " ") + name;
      const auto kind = os_device(child, version_);
      if (kind == OsDevice::network) net_names.push_back(child);
      if (kind == OsDevice::infiniband) fabric_names.push_back(child);
      if (kind == OsDevice::gpu && !name.starts_with("card") && !name.starts_with("render") &&
          !name.starts_with("control")) {
        gpu_names.push_back(child);
      }
    }
    const bool nv_switch = std::string_view(object.attribute("subtype").value()) == "NVSwitch";
    DeviceKind kind = type ? kind_of(type->function) : DeviceKind::other;
    if (nv_switch) kind = DeviceKind::nv_switch;
    if (!gpu_names.empty()) kind = DeviceKind::gpu;
    if (!net_names.empty() || !fabric_names.empty()) kind = DeviceKind::nic;
    if (kind == DeviceKind::pci_switch) kind = DeviceKind::other;  // a bridge to nothing
    Device device = pci_device(object, kind, place.above);
    if (!all_names.empty()) device.attributes["osdevs"] = all_names;
    const Link link = pci_link(object, place);
    const long gp_index = number(object, "gp_index", -1);
    if (kind == DeviceKind::nic) {
      read_ports(device, fabric_names.empty() ? net_names : fabric_names, link);
      return;
    }
    if (kind == DeviceKind::gpu) name_gpu(device, gpu_names, type ? type->function : PciFunction{});
    if (kind == DeviceKind::nv_switch) device.name = fmt::format("nvswitch{}", nv_switches_++);
    if (kind == DeviceKind::other) {
      device.name = all_names.empty() && type ? std::string(class_name(type->function.pci_class)) : all_names;
    }
    const int id = add_below(std::move(device), link);
    if (gp_index >= 0) by_gp_index_[gp_index] = id;
    for (const Node os : gpu_names) by_gp_index_[number(os, "gp_index", -1)] = id;
  }

  static void name_gpu(Device& gpu, const std::vector<Node>& names, const PciFunction& function) {
    for (const char* prefix : {"nvml", "rsmi", "cuda", "ze", "opencl0d"}) {  // the driver's own numbers first
      for (const Node os : names) {
        const int index = number_after(os.attribute("name").value(), prefix);
        if (index >= 0 && gpu.index < 0) gpu.index = index;
        if (const auto model = info(os, "GPUModel"); !model.empty()) gpu.model = model;
      }
    }
    if (const int capability = compute_capability(function)) gpu.attributes["sm"] = fmt::format("{}", capability);
    if (const auto gfx = gfx_name(function); !gfx.empty()) gpu.attributes["gcn"] = fmt::format("gfx{}", gfx);
  }

  void read_ports(const Device& function, const std::vector<Node>& names, const Link& link) {
    for (const Node os : names) {
      Device port = function;
      port.name = os.attribute("name").value();
      if (const auto guid = info(os, "NodeGUID"); !guid.empty()) port.attributes["guid"] = guid;
      if (const auto address = info(os, "Address"); !address.empty()) port.attributes["address"] = address;
      if (const auto state = info(os, "Port1State"); !state.empty()) {
        port.attributes["state"] = state == "4" ? "active" : "down";
        if (state != "4") parts_.notes.push_back(fmt::format("{} {}: its port is down", port.name, port.pci));
      }
      if (const std::string_view subtype = os.attribute("subtype").value(); !subtype.empty()) {
        port.attributes["subtype"] = subtype;
      }
      by_gp_index_[number(os, "gp_index", -1)] = add_below(std::move(port), link);
    }
    if (names.empty()) {
      Device port = function;
      port.name = "nic " + port.pci;
      add_below(std::move(port), link);
    }
  }

  void add_virtual_nic(Node os, int cpu) {
    Device nic = below_cpu(DeviceKind::nic, cpu);
    nic.name = os.attribute("name").value();
    add_below(std::move(nic), local_link(cpu));
  }

  /// GPUs without a number of their own are counted after the others, as listed.
  void number_gpus() {
    int next = 0;
    for (const Device& device : parts_.devices) {
      if (device.kind == DeviceKind::gpu) next = std::max(next, device.index + 1);
    }
    for (Device& device : parts_.devices) {
      if (device.kind == DeviceKind::gpu) device.name = fmt::format("gpu{}", device.index >= 0 ? device.index : next++);
    }
  }

  Xml xml_;
  int version_ = 2;
  TopologyParts parts_;
  std::vector<std::pair<int, std::vector<int>>> packages_;
  std::vector<int> all_cpus_;
  std::map<int, int> cpu_of_node_;   // NUMA number → device
  std::map<long, int> by_gp_index_;  // object → device, for distances
  std::set<int> for_gpus_only_;      // switches that lead to GPUs only
  bool several_nodes_ = false;       // the set that was seen last has more than one NUMA node
  int nv_switches_ = 0;
};

}  // namespace

const Reader hwloc_xml_reader{
    .kind = "hwloc-xml",
    .what = "hwloc XML",
    .recognises = [](std::string_view text) { return xml_root_name(text) == "topology"; },
    .read = [](std::string_view text, const std::string& name) { return HwlocReading(text, name).read(); }};

}  // namespace tutti
