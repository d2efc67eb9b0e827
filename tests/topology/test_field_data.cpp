/// @file  Real files from real machines, where a folder of them lies beside the project: all that are whole are
/// read, and what is known about some of them for sure is found.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "contains.hpp"
#include "topology/flatten.hpp"
#include "tutti/topology/read.hpp"
#include "tutti/topology/write.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using namespace tutti;

/// The folder "topology" in $TUTTI_FIELD_DATA, or in ../shared/data; empty, and said so, when there is none.
fs::path field_data() {
  const char* given = std::getenv("TUTTI_FIELD_DATA");
  const fs::path root = given ? fs::path(given) : fs::path(TUTTI_SOURCE_DIR) / "../shared/data";
  std::error_code error;
  const auto folder = root / "topology";
  if (fs::is_directory(folder, error)) return folder;
  WARN("NOTHING TESTED: no folder topology in " << root << "; $TUTTI_FIELD_DATA names another place");
  return {};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

Json json_at(const fs::path& path) { return Json::parse(std::ifstream(path)); }

int gpu_with_index(const Topology& topology, int index) {
  for (const int id : topology.all(DeviceKind::gpu)) {
    if (topology.device(id).index == index) return id;
  }
  return -1;
}

/// GB/s of the narrowest PCI link between two devices, as NCCL counts it.
double pci_bandwidth(const Topology& topology, int a, int b) {
  TopologyParts parts = topology.parts();
  std::erase_if(parts.links, [](const Link& l) { return l.kind == LinkKind::nvlink || l.kind == LinkKind::xgmi; });
  const Topology tree(parts);
  double least = 1e9;
  for (const int index : find_path(tree, a, b).links) {
    const Link& link = tree.links()[static_cast<std::size_t>(index)];
    if (link.kind == LinkKind::pci) least = std::min(least, link.bandwidth.value);
  }
  return least;
}

std::string pci_class(const Topology& topology, int a, int b) {
  TopologyParts parts = topology.parts();
  std::erase_if(parts.links, [](const Link& l) { return l.kind == LinkKind::nvlink || l.kind == LinkKind::xgmi; });
  return std::string(name(find_path(Topology(parts), a, b).path));
}

void check_nccl_facts(const Topology& topology, const Json& facts) {
  std::vector<int> numa;
  for (const int id : topology.all(DeviceKind::cpu)) numa.push_back(topology.device(id).numa_node);
  CHECK(Json(numa) == facts["numa_nodes"]);
  std::size_t gpus = facts["gpus"].size();
  std::size_t nics = facts["nics"].size();
  for (const Json& gpu : facts["gpus"]) {
    CAPTURE(gpu.dump());
    const int id = gpu_with_index(topology, gpu["dev"]);
    REQUIRE(id >= 0);
    CHECK(topology.device(id).pci == gpu["busid"]);
    CHECK(topology.device(id).numa_node == gpu["numa"]);
    CHECK(topology.device(id).rank == gpu["rank"]);
    CHECK(topology.device(id).attributes.at("sm") == gpu["sm"]);
  }
  for (const Json& nic : facts["nics"]) {
    CAPTURE(nic.dump());
    const int id = topology.find(nic["name"].get<std::string>());
    REQUIRE(id >= 0);
    CHECK(topology.device(id).numa_node == nic["numa"]);
    CHECK(topology.device(id).pci == (nic["busid"].is_null() ? "" : nic["busid"].get<std::string>()));
    CHECK(port_speed(topology.device(id)).value == Approx(nic["bw_GBps"].get<double>()));
  }
  for (const Json& device : facts.value("devices_by_class_only", Json::array())) {
    CAPTURE(device.dump());
    const int id = topology.find(device["busid"].get<std::string>());
    REQUIRE(id >= 0);
    CHECK(topology.device(id).kind == (device["kind"] == "GPU" ? DeviceKind::gpu : DeviceKind::nic));
    CHECK(topology.device(id).numa_node == device["numa"]);
    CHECK(topology.device(topology.parent(id)).pci == device["under"]);
    ++(device["kind"] == "GPU" ? gpus : nics);
  }
  CHECK(topology.all(DeviceKind::gpu).size() == gpus);
  CHECK(topology.all(DeviceKind::nic).size() == nics);
  for (const Json& pair : facts["pairs"]) {
    CAPTURE(pair.dump());
    const int a = gpu_with_index(topology, pair["a"]);
    const int b = gpu_with_index(topology, pair["b"]);
    CHECK(pci_class(topology, a, b) == pair["pci"]);
    CHECK(pci_bandwidth(topology, a, b) == Approx(pair["pci_bw"].get<double>()));
    const Path path = find_path(topology, a, b);
    if (pair["link"].is_null()) {
      CHECK(path.path >= PathClass::pix);
      continue;
    }
    CHECK(path.label() == pair["link"]);
    if (pair.contains("count")) CHECK(path.count == pair["count"]);
    if (pair.contains("link_bw")) CHECK(path.bandwidth.value == Approx(pair["link_bw"].get<double>()));
  }
  for (const auto& [gpu, nearest] : facts["nearest_nic"].items()) {
    CAPTURE(gpu, nearest.dump());
    const auto found = nearest_nics(topology, gpu_with_index(topology, std::stoi(gpu)));
    CHECK(Json(names_of(topology, found.nics)) == nearest["nics"]);
    CHECK(name(found.path) == nearest["path"].get<std::string>());
  }
  const Json by_class = facts.value("nearest_nic_by_class", Json::object());  // items() needs it to live on
  for (const auto& [gpu, nearest] : by_class.items()) {
    CAPTURE(gpu, nearest.dump());
    const auto found = nearest_nics(topology, topology.find(gpu));
    REQUIRE(found.nics.size() == nearest["nics"].size());
    for (std::size_t i = 0; i < found.nics.size(); ++i) {
      CHECK(topology.device(found.nics[i]).pci == nearest["nics"][i]);
    }
    CHECK(name(found.path) == nearest["path"].get<std::string>());
  }
}

int with_os_name(const Topology& topology, const std::string& name) {
  for (const Device& device : topology.devices()) {
    const auto names = device.attributes.find("osdevs");
    if (names != device.attributes.end() && (" " + names->second + " ").find(" " + name + " ") != std::string::npos) {
      return device.id;
    }
  }
  return -1;
}

std::string joined(const Json& names) {
  std::string text;
  for (const Json& name : names) text += (text.empty() ? "" : " ") + name.get<std::string>();
  return text;
}

void check_hwloc_facts(const Topology& topology, const Json& facts) {
  std::vector<int> numa;
  for (const NumaNode& node : topology.hosts()[0].numa_nodes) numa.push_back(node.index);
  CHECK(Json(numa) == facts["numa_os_indexes"]);
  CHECK(topology.all(DeviceKind::gpu).size() == facts["gpus"].size());
  CHECK(topology.all(DeviceKind::nic).size() == facts["nics"].size());
  for (const char* list : {"gpus", "nics"}) {
    for (const Json& known : facts[list]) {
      CAPTURE(known.dump());
      const int id = topology.find(known["busid"].get<std::string>());
      REQUIRE(id >= 0);
      const Device& device = topology.device(id);
      CHECK(device.attributes.at("class").starts_with("0x" + known["pci_class"].get<std::string>()));
      CHECK(device.attributes.at("vendor") + device.attributes.at("device") ==
            "0x" + known["pci_id"].get<std::string>().substr(0, 4) + "0x" +
                known["pci_id"].get<std::string>().substr(5));
      CHECK(Json::array({device.numa_node}) == known["numa"]);
      CHECK(device.attributes.at("osdevs") == joined(known["osdevs"]));
      double rated = 0;
      for (const int index : topology.links_of(id)) {
        const Link& link = topology.links()[static_cast<std::size_t>(index)];
        if (link.kind == LinkKind::pci && link.to == id) rated = link.rated.value;
      }
      CHECK(rated == Approx(known["link_GBps"].get<double>()));
    }
  }
  for (const Json& pair : facts["pairs"]) {
    CAPTURE(pair.dump());
    CHECK(pci_class(topology, with_os_name(topology, pair["a"]), with_os_name(topology, pair["b"])) == pair["pci"]);
  }
  for (const auto& [gpu, nearest] : facts["nearest_nic"].items()) {
    CAPTURE(gpu, nearest.dump());
    const auto found = nearest_nics(topology, with_os_name(topology, gpu));
    REQUIRE(found.nics.size() == nearest["nics"].size());
    for (std::size_t i = 0; i < found.nics.size(); ++i) {
      CHECK(topology.device(found.nics[i]).attributes.at("osdevs") == joined(nearest["nics"][i]));
    }
    CHECK(name(found.path) == nearest["path"].get<std::string>());
  }
}

void check_matrix_facts(const Topology& topology, const Json& facts) {
  std::map<std::string, int> ids;  // by the name of the column
  for (const Json& gpu : facts["gpus"]) {
    const auto column = gpu.get<std::string>();
    ids[column] = gpu_with_index(topology, std::stoi(column.substr(3)));
  }
  for (const Json& nic : facts["nics"]) {
    ids[nic["col"].get<std::string>()] = topology.find(nic["name"].get<std::string>());
  }
  for (const auto& [column, id] : ids) {
    CAPTURE(column);
    REQUIRE(id >= 0);
  }
  CHECK(topology.all(DeviceKind::gpu).size() == facts["gpus"].size());
  CHECK(topology.all(DeviceKind::nic).size() == facts["nics"].size());
  const auto attribute = [](const Device& device, const char* key) {
    const auto at = device.attributes.find(key);
    return at == device.attributes.end() ? std::string() : at->second;
  };
  for (const auto& [column, said] : facts["affinity"].items()) {
    CAPTURE(column, said.dump());
    const Device& gpu = topology.device(ids.at(column));
    if (!said["cpu"].is_null()) CHECK(attribute(gpu, "cpu_affinity") == said["cpu"]);
    if (!said["numa"].is_null()) CHECK(std::to_string(gpu.numa_node) == said["numa"]);
    if (!said["gpu_numa"].is_null() && said["gpu_numa"] != "N/A")
      CHECK(attribute(gpu, "gpu_numa_id") == said["gpu_numa"]);
  }
  const auto label = [&](const std::string& a, int b) { return find_path(topology, ids.at(a), b).label(); };
  for (const Json& pair : facts["pairs"]) {
    CAPTURE(pair.dump());
    CHECK(label(pair["a"], ids.at(pair["b"])) == pair["link"]);
  }
  for (const auto& [gpu, nics] : facts["gpu_nic"].items()) {
    for (const auto& [nic, path] : nics.items()) {
      CAPTURE(gpu, nic);
      CHECK(label(gpu, ids.contains(nic) ? ids.at(nic) : topology.find(nic)) == path);
    }
  }
  for (const auto& [gpu, nearest] : facts["nearest_nic"].items()) {
    CAPTURE(gpu, nearest.dump());
    const auto found = nearest_nics(topology, ids.at(gpu));
    CHECK(Json(names_of(topology, found.nics)) == nearest["nics"]);
    CHECK(name(found.path) == nearest["path"].get<std::string>());
  }
}

}  // namespace

TEST_CASE("every whole file of real machines is read, and survives our own JSON") {
  const auto data = field_data();
  if (data.empty()) return;
  int read = 0;
  for (const auto& folder : files_in(data)) {
    if (folder.filename() == "facts" || !fs::is_directory(folder)) continue;
    for (const auto& file : files_in(folder)) {
      CAPTURE(file.string());
      if (file.filename().string().starts_with("frag-")) {  // cut off by whoever published it
        CHECK_THROWS_WITH(from_file(file), contains(file.filename().string() + ":") && contains("ends here"));
        continue;
      }
      const Topology topology = from_file(file);
      CHECK(deserialise(serialise(topology)) == topology);
      ++read;
    }
  }
  WARN(fmt::format("{} real topology files read", read));
}

TEST_CASE("NCCL XML of every real NCCL file comes back as the same graph") {
  const auto data = field_data();
  if (data.empty()) return;
  for (const char* folder : {"nccl-topo", "rccl-topo"}) {
    for (const auto& file : files_in(data / folder)) {
      CAPTURE(file.string());
      if (file.filename().string().starts_with("frag-")) continue;
      const Topology topology = from_file(file);
      const Topology again = from_text(to_nccl_xml(topology), file.string());
      CHECK(std::ranges::equal(again.devices(), topology.devices()));
      CHECK(std::ranges::equal(again.links(), topology.links()));
      CHECK(std::ranges::equal(again.hosts(), topology.hosts()));
    }
  }
}

TEST_CASE("real files agree with what is known about them") {
  const auto data = field_data();
  if (data.empty()) return;
  int agreed = 0;
  for (const auto& file : files_in(data / "facts")) {
    const Json facts = json_at(file);
    CAPTURE(file.string());
    if (facts["format"] == "nccl-topo-xml") {
      const Topology topology = from_file(data / facts["file"].get<std::string>());
      const bool raw = file.stem().string().ends_with("-noflatten");
      check_nccl_facts(raw ? topology : flatten_switches(topology), facts);
      ++agreed;
    } else if (facts["format"] == "hwloc-xml") {
      check_hwloc_facts(from_file(data / facts["file"].get<std::string>()), facts);
      ++agreed;
    } else if (facts["format"] == "nvidia-smi topo -m") {
      check_matrix_facts(from_file(data / facts["file"].get<std::string>()), facts);
      ++agreed;
    }
  }
  CHECK(agreed == static_cast<int>(files_in(data / "facts").size()));
  if (agreed > 0) WARN(fmt::format("{} lists of facts checked", agreed));
}
