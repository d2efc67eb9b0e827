#include "tutti/topology/path.hpp"

#include "catch.hpp"
#include "fixtures.hpp"

using namespace tutti;

namespace {

TopologyParts two_gpus() {
  TopologyParts parts;
  parts.hosts.resize(1);
  parts.add(Device{.kind = DeviceKind::gpu, .name = "gpu0", .index = 0});
  parts.add(Device{.kind = DeviceKind::gpu, .name = "gpu1", .index = 1});
  return parts;
}

}  // namespace

TEST_CASE("path classes are named as people know them, both ways") {
  CHECK(path_class_named("PIX") == PathClass::pix);
  CHECK(path_class_named("SOC") == PathClass::sys);
  CHECK(path_class_named("NV12") == PathClass::nvlink);
  CHECK(path_class_named("NVx") == std::nullopt);
  CHECK(path_class_named("pix") == std::nullopt);
  CHECK(name(PathClass::node) == "NODE");
  CHECK(Path{.path = PathClass::nvlink, .count = 4}.label() == "NV4");
}

TEST_CASE("every class of path in one machine") {
  const Topology topology = read_fixture("nccl-switched.xml");
  const auto between = [&](const char* a, const char* b) {
    return name(find_path(topology, topology.find(a), topology.find(b)).path);
  };
  CHECK(between("gpu0", "gpu0") == "X");
  CHECK(between("gpu0", "gpu1") == "NV");
  CHECK(between("gpu0", "mlx5_0") == "PIX");
  CHECK(between("gpu1", "mlx5_0") == "PHB");
  CHECK(between("gpu2", "mlx5_0") == "SYS");
  CHECK(between("gpu2", "mlx5_1") == "PXB");
  CHECK(between("gpu2", "eth0") == "PHB");
  CHECK(between("mlx5_1", "mlx5_2") == "PIX");  // two ports of one function
  CHECK(between("gpu0", "numa0") == "PHB");
  CHECK(between("numa0", "numa1") == "SYS");
}

TEST_CASE("a path is as narrow as its narrowest link, and says which links it takes") {
  const Topology topology = read_fixture("nccl-switched.xml");
  const Path path = find_path(topology, topology.find("gpu1"), topology.find("mlx5_0"));
  CHECK(path.bandwidth.value == 24);  // gpu1 is on 8 lanes
  REQUIRE(path.links.size() == 4);
  CHECK(topology.links()[static_cast<std::size_t>(path.links[0])].to == topology.find("gpu1"));
  CHECK(topology.links()[static_cast<std::size_t>(path.links[3])].to == topology.find("mlx5_0"));
  CHECK(path.latency.is_assumed());
  CHECK(path.bandwidth.is_assumed());
  CHECK(find_path(topology, topology.find("gpu2"), topology.find("mlx5_1")).bandwidth.value == 24);  // 16 GT/s
  CHECK(find_path(topology, topology.find("gpu0"), topology.find("eth0")).bandwidth.value == 1.25);  // its port
}

TEST_CASE("the nearest adapters are all that are equally near") {
  const Topology topology = read_fixture("nccl-switched.xml");
  const auto near2 = nearest_nics(topology, topology.find("gpu2"));
  CHECK(near2.nics == std::vector<int>{topology.find("mlx5_1"), topology.find("mlx5_2")});
  CHECK(near2.path == PathClass::pxb);
  CHECK(near2.bandwidth.value == 24);
  const auto near1 = nearest_nics(topology, topology.find("gpu1"));
  CHECK(near1.nics == std::vector<int>{topology.find("mlx5_0")});
  CHECK(near1.path == PathClass::phb);
  CHECK(nearest_nics(Topology(two_gpus()), 0).nics.empty());
}

TEST_CASE("a stated class stands where nothing is known, and NVLink before it") {
  auto parts = two_gpus();
  CHECK(find_path(Topology(parts), 0, 1).path == PathClass::none);
  parts.stated.push_back({.from = 0, .to = 1, .path = PathClass::node});
  const Path there = find_path(Topology(parts), 0, 1);
  CHECK(there.path == PathClass::node);
  CHECK(there.bandwidth.is_assumed());
  CHECK(find_path(Topology(parts), 1, 0).path == PathClass::node);
  parts.add(Link{.kind = LinkKind::nvlink, .from = 0, .to = 1, .count = 2, .bandwidth = Quantity::read(40)});
  parts.add(Link{.kind = LinkKind::nvlink, .from = 1, .to = 0, .count = 1, .bandwidth = Quantity::assumed(20)});
  const Path path = find_path(Topology(parts), 0, 1);
  CHECK(path.label() == "NV3");
  CHECK(path.bandwidth == Quantity::assumed(60));
  CHECK(path.links.size() == 2);
}

TEST_CASE("between hosts a path leads over the nearest adapters and the network") {
  auto parts = read_fixture("nccl-switched.xml").parts();
  parts.hosts[0].id = "a";
  auto other = parts;
  other.hosts[0].id = "b";
  const Topology both = merge(std::vector{Topology(parts), Topology(other)});
  const auto gpus = both.all(DeviceKind::gpu);
  const Path path = find_path(both, gpus[0], gpus[4]);
  CHECK(path.path == PathClass::net);
  CHECK(path.bandwidth.value == 24);  // gpu1 of the other host, on 8 lanes
  CHECK(path.links.size() == 2 + 2 + 4);
  CHECK_THROWS_AS(find_path(both, 0, 10'000), std::out_of_range);
}
