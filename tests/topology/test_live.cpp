#include "topology/live.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "catch.hpp"
#include "fixtures.hpp"
#include "topology/nvml.hpp"

using namespace tutti;

namespace {

/// The driver of a machine that does not exist: two H200 with 18 links, 16 up, on NVSwitches; the second one in parts.
struct FakeGpu {
  unsigned bus;
  unsigned width;
};
constexpr std::array<FakeGpu, 2> fake_gpus{{{0x01, 16}, {0x11, 8}}};
unsigned index_of(nvml::Handle handle) { return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(handle)) - 1; }
nvml::Handle handle_of(unsigned index) {
  return reinterpret_cast<nvml::Handle>(static_cast<std::uintptr_t>(index) + 1);
}

nvml::Functions fake_driver() {
  nvml::Functions f;
  f.count = [](unsigned* count) { return *count = 3, 0; };
  f.handle = [](unsigned index, nvml::Handle* handle) {
    if (index == 2) return 15;  // lost from the bus
    *handle = handle_of(index);
    return 0;
  };
  f.pci_info = [](nvml::Handle handle, nvml::PciInfo* info) {
    *info = {};
    info->bus = fake_gpus[index_of(handle)].bus;
    info->device_and_vendor = 0x233510de;
    return 0;
  };
  f.name = [](nvml::Handle handle, char* text, unsigned size) {
    std::strncpy(text, index_of(handle) < 2 ? "NVIDIA H200" : "NVIDIA H200 MIG 1g.18gb", size - 1);
    return 0;
  };
  f.compute_capability = [](nvml::Handle, int* major, int* minor) { return *major = 9, *minor = 0, 0; };
  f.generation = [](nvml::Handle, unsigned* value) { return *value = 1, 0; };
  f.max_generation = [](nvml::Handle, unsigned* value) { return *value = 5, 0; };
  f.width = [](nvml::Handle handle, unsigned* value) { return *value = fake_gpus[index_of(handle)].width, 0; };
  f.max_width = [](nvml::Handle, unsigned* value) { return *value = 16, 0; };
  f.link_state = [](nvml::Handle, unsigned link, unsigned* active) { return *active = link < 16, 0; };
  f.link_remote = [](nvml::Handle, unsigned link, nvml::PciInfo* info) {
    *info = {};
    info->bus = 0xc0 + link / 4;
    return 0;
  };
  f.link_remote_type = [](nvml::Handle, unsigned, unsigned* type) { return *type = 2, 0; };
  return f;
}

nvml::Functions with_partitions() {
  nvml::Functions f = fake_driver();
  f.mig_mode = [](nvml::Handle handle, unsigned* now, unsigned* pending) {
    return *now = *pending = index_of(handle) == 1, 0;
  };
  f.mig_count = [](nvml::Handle, unsigned* count) { return *count = 7, 0; };
  f.mig_handle = [](nvml::Handle, unsigned part, nvml::Handle* handle) {
    if (part != 0 && part != 3) return 6;  // not there
    *handle = handle_of(10 + part);
    return 0;
  };
  f.gpu_instance = [](nvml::Handle handle, unsigned* id) { return *id = index_of(handle), 0; };
  return f;
}

LiveSources machine(const TemporaryFolder& root, const nvml::Functions* driver) {
  root.write("sys/class/infiniband/mlx5_0/node_guid", "9803:9b03:0000:0001\n");
  root.write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  root.write("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  root.write("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n");
  root.write("sys/class/infiniband/mlx5_0/ports/2/state", "1: DOWN\n");
  root.write("sys/class/infiniband/mlx5_0/ports/2/rate", "10 Gb/sec (4X SDR)\n");
  const auto function = [&](const std::string& pci, const char* speed, const char* width) {
    root.write("sys/bus/pci/devices/" + pci + "/current_link_speed", speed);
    root.write("sys/bus/pci/devices/" + pci + "/current_link_width", width);
    root.write("sys/bus/pci/devices/" + pci + "/max_link_speed", "32.0 GT/s PCIe\n");
    root.write("sys/bus/pci/devices/" + pci + "/max_link_width", "16\n");
  };
  function("0000:02:00.0", "16.0 GT/s PCIe\n", "8\n");
  function("0000:21:00.0", "Unknown\n", "0\n");
  return {.hwloc_xml = fixture("hwloc-2.xml"),
          .root = root.path(),
          .nvml = driver,
          .facts = {.host = "real", .id = "boot"}};
}

const Link& pci_link_to(const Topology& topology, int id) {
  for (const int index : topology.links_of(id)) {
    const Link& link = topology.links()[static_cast<std::size_t>(index)];
    if (link.kind == LinkKind::pci && link.to == id) return link;
  }
  throw std::out_of_range("no such link");
}

}  // namespace

TEST_CASE("hwloc, sysfs and the driver make one machine") {
  const TemporaryFolder root;
  const auto driver = fake_driver();
  auto sources = machine(root, &driver);
  for (std::size_t at = 0; (at = sources.hwloc_xml.find("NVLinkBandwidth", at)) != std::string::npos;) {
    sources.hwloc_xml.replace(at, 15, "NothingOfNote!!");  // live, the driver tells of links
  }
  const Topology topology = read_live(sources);
  CHECK(topology.name() == "real");
  CHECK(topology.source() == "live");
  CHECK(topology.hosts()[0].id == "boot");
  CHECK(topology.hosts()[0].cpus == 4);
  const int gpu0 = topology.find("gpu0");
  const int gpu1 = topology.find("gpu1");
  CHECK(topology.device(gpu1).pci == "0000:11:00.0");
  CHECK(topology.device(gpu0).attributes.at("sm") == "90");
  CHECK(find_path(topology, gpu0, gpu1).label() == "NV16");
  CHECK(topology.device(gpu0).attributes.at("nvlinks_down") == "2");
  CHECK(topology.all(DeviceKind::nv_switch).size() == 4);
}

TEST_CASE("an idle GPU counts with the speed it can reach, and with the lanes it has") {
  const TemporaryFolder root;
  const auto driver = fake_driver();
  const Topology topology = read_live(machine(root, &driver));
  const Link& wide = pci_link_to(topology, topology.find("gpu0"));
  CHECK(wide.speed == Quantity::read(2.5));
  CHECK(wide.speed_possible == Quantity::read(32));
  CHECK(wide.bandwidth == Quantity::assumed(48));
  CHECK(wide.rated.is_assumed());
  CHECK(pci_link_to(topology, topology.find("gpu1")).bandwidth == Quantity::assumed(24));
}

TEST_CASE("adapters have ports with their rates and states") {
  const TemporaryFolder root;
  const Topology topology = read_live(machine(root, nullptr));
  const auto nics = topology.all(DeviceKind::nic);
  REQUIRE(nics.size() == 2);
  const Device& first = topology.device(nics[0]);
  const Device& second = topology.device(nics[1]);
  CHECK(first.name == "mlx5_0");
  CHECK(port_speed(first) == Quantity::read(50));
  CHECK(first.attributes.at("state") == "active");
  CHECK(first.attributes.at("link_layer") == "InfiniBand");
  CHECK(first.attributes.at("guid") == "9803:9b03:0000:0001");
  CHECK(second.attributes.at("port") == "2");
  CHECK(second.attributes.at("state") == "down");
  CHECK(topology.parent(second.id) == topology.parent(first.id));
  CHECK(std::count(topology.notes().begin(), topology.notes().end(), "mlx5_0 0000:02:00.0: its port is down") == 1);
  const Link& link = pci_link_to(topology, first.id);
  CHECK(link.lanes == Quantity::read(8));
  CHECK(link.lanes_possible == Quantity::read(16));
  CHECK(link.speed == Quantity::read(16));
  CHECK(link.rated.value == Approx(15.753846));
  const Link& unread = pci_link_to(topology, topology.find("0000:21:00.0"));
  CHECK(unread.lanes.is_assumed());
  CHECK(unread.lanes_possible == Quantity::read(16));
}

TEST_CASE("a partitioned GPU is its partitions") {
  const TemporaryFolder root;
  const auto driver = with_partitions();
  const Topology topology = read_live(machine(root, &driver));
  const int first = topology.find("gpu1.0");
  const int second = topology.find("gpu1.1");
  REQUIRE(first >= 0);
  REQUIRE(second >= 0);
  CHECK(topology.find("gpu1") == -1);
  CHECK(topology.find("gpu0") >= 0);
  CHECK(topology.device(first).model == "NVIDIA H200 MIG 1g.18gb");
  CHECK(topology.device(second).attributes.at("mig_of") == "gpu1");
  CHECK(topology.device(second).attributes.at("gpu_instance") == "13");
  CHECK(topology.device(second).pci == topology.device(first).pci);
  CHECK(topology.parent(second) == topology.parent(first));
}

TEST_CASE("a GPU that only the driver knows is added and named") {
  const TemporaryFolder root;
  const auto driver = fake_driver();
  const Topology topology = read_live({.root = root.path(), .nvml = &driver, .facts = this_host_facts()});
  CHECK(topology.all(DeviceKind::gpu).size() == 2);
  CHECK(topology.parent(topology.find("gpu0")) == -1);
  const auto has = [&](const std::string& part) {
    return std::any_of(topology.notes().begin(), topology.notes().end(),
                       [&](const auto& n) { return n.find(part) != std::string::npos; });
  };
  CHECK(has("the driver knows a GPU 0000:01:00.0 that the PCI tree does not show"));
  CHECK(has("hwloc could not look"));
}

TEST_CASE("a driver that refuses everything leaves the machine as it was") {
  const TemporaryFolder root;
  nvml::Functions refuses;
  refuses.count = [](unsigned* count) { return *count = 1, 0; };
  refuses.handle = [](unsigned, nvml::Handle* handle) { return *handle = handle_of(0), 0; };
  refuses.pci_info = [](nvml::Handle, nvml::PciInfo* info) {
    *info = {};
    info->bus = 1;
    return 0;
  };
  const Topology without = read_live(machine(root, nullptr));
  const Topology with = read_live(machine(root, &refuses));
  CHECK(find_path(with, with.find("gpu0"), with.find("gpu1")).label() ==
        find_path(without, without.find("gpu0"), without.find("gpu1")).label());
  refuses.count = [](unsigned*) { return 999; };
  CHECK(read_live(machine(root, &refuses)) == without);
}

TEST_CASE("this machine is read, with its CPUs and its network") {
  const Topology topology = this_machine();
  CHECK_FALSE(topology.all(DeviceKind::cpu).empty());
  CHECK(topology.hosts()[0].cpus >= this_host_facts().cpus);
  CHECK(topology.hosts()[0].id == this_host_facts().id);
  CHECK(deserialise(serialise(topology)) == topology);
  // Every network interface that sits on a PCI device is there.
  std::error_code error;
  for (const auto& interface : std::filesystem::directory_iterator("/sys/class/net", error)) {
    const auto target = std::filesystem::canonical(interface.path(), error).string();
    if (target.find("/pci") == std::string::npos) continue;
    CAPTURE(interface.path().string());
    CHECK(topology.find(interface.path().filename().string()) >= 0);
  }
}
