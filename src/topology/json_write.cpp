/// @file  A topology as JSON: fields at their defaults are left out, assumed numbers are listed by name.
#include <nlohmann/json.hpp>

#include "topology/cpu_list.hpp"
#include "tutti/topology/write.hpp"

namespace tutti {

namespace {

using OrderedJson = nlohmann::ordered_json;

template <class T>
void put(OrderedJson& object, const char* key, const T& value, const T& usual = T{}) {
  if (value != usual) object[key] = value;
}

OrderedJson written(const HostFacts& host) {
  OrderedJson object = OrderedJson::object();
  put(object, "host", host.host);
  put(object, "id", host.id);
  put(object, "architecture", host.architecture);
  put(object, "cpu_vendor", host.cpu_vendor);
  put(object, "cpu_model", host.cpu_model);
  put(object, "cpu_family", host.cpu_family, -1);
  put(object, "cpu_model_number", host.cpu_model_number, -1);
  put(object, "packages", host.packages);
  put(object, "cores", host.cores);
  put(object, "cpus", host.cpus);
  put(object, "allowed_cpus", format_cpu_list(host.allowed_cpus));
  put(object, "memory_bytes", host.memory_bytes);
  put(object, "l1_bytes", host.l1_bytes);
  put(object, "l2_bytes", host.l2_bytes);
  put(object, "l3_bytes", host.l3_bytes);
  put(object, "cpus_per_l3", host.cpus_per_l3);
  for (const NumaNode& node : host.numa_nodes) {
    OrderedJson entry{{"index", node.index}};
    put(entry, "package", node.package, -1);
    put(entry, "cpus", format_cpu_list(node.cpus));
    put(entry, "memory_bytes", node.memory_bytes);
    object["numa_nodes"].push_back(std::move(entry));
  }
  return object;
}

OrderedJson written(const Device& device) {
  OrderedJson object{{"id", device.id}, {"kind", name(device.kind)}, {"name", device.name}};
  put(object, "model", device.model);
  put(object, "pci", device.pci);
  put(object, "numa_node", device.numa_node, -1);
  put(object, "host", device.host);
  put(object, "index", device.index, -1);
  put(object, "rank", device.rank, -1);
  if (!device.attributes.empty()) object["attributes"] = device.attributes;
  return object;
}

OrderedJson written(const Link& link) {
  OrderedJson object{{"kind", name(link.kind)}, {"from", link.from}, {"to", link.to}};
  put(object, "one_way", link.one_way);
  put(object, "count", link.count, 1);
  put(object, "count_possible", link.count_possible);
  const auto quantity = [&](const char* key, const Quantity& value) {
    if (!value.known()) return;
    object[key] = value.value;
    if (value.is_assumed()) object["assumed"].push_back(key);
  };
  quantity("bandwidth_GBs", link.bandwidth);
  quantity("rated_GBs", link.rated);
  quantity("latency_us", link.latency);
  quantity("lanes", link.lanes);
  quantity("speed_GTs", link.speed);
  quantity("lanes_possible", link.lanes_possible);
  quantity("speed_possible_GTs", link.speed_possible);
  return object;
}

}  // namespace

std::string to_json(const Topology& topology, int indent) {
  OrderedJson root{{"format", "tutti-topology"}, {"version", 1}};
  put(root, "name", topology.name());
  put(root, "source", topology.source());
  for (const char* list : {"hosts", "devices", "links"}) root[list] = OrderedJson::array();
  for (const HostFacts& host : topology.hosts()) root["hosts"].push_back(written(host));
  for (const Device& device : topology.devices()) root["devices"].push_back(written(device));
  for (const Link& link : topology.links()) root["links"].push_back(written(link));
  for (const StatedPath& path : topology.stated()) {
    root["stated"].push_back({{"from", path.from}, {"to", path.to}, {"path", name(path.path)}});
  }
  for (const std::string& note : topology.notes()) root["notes"].push_back(note);
  return root.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string serialise(const Topology& topology) { return to_json(topology, -1); }

}  // namespace tutti
