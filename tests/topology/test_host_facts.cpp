#include "topology/host_facts.hpp"

#include <unistd.h>

#include <algorithm>

#include "catch.hpp"
#include "fixtures.hpp"
#include "topology/numa.hpp"

using namespace tutti;

namespace {

/// Two sockets of two cores with two threads each; three NUMA nodes, one with memory only.
void write_machine(const TemporaryFolder& root) {
  root.write("proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: EPYC\n\n"
             "processor\t: 1\nvendor_id\t: Somebody\n");
  root.write("proc/meminfo", "MemTotal:       1024 kB\n");
  root.write("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-2\n");
  root.write("proc/sys/kernel/hostname", "n1\n");
  root.write("proc/sys/kernel/random/boot_id", "b-o-o-t\n");
  root.write("sys/devices/system/cpu/online", "0-7\n");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const auto folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    root.write(folder + "physical_package_id", std::to_string(cpu / 2 % 2));
    root.write(folder + "package_cpus_list", cpu / 2 % 2 == 0 ? "0-1,4-5" : "2-3,6-7");
    const int other = cpu < 4 ? cpu + 4 : cpu - 4;
    root.write(folder + "core_cpus_list",
               std::to_string(std::min(cpu, other)) + "," + std::to_string(std::max(cpu, other)));
  }
  const auto cache = [&](int index, const char* level, const char* type, const char* size, const char* shared) {
    const auto folder = "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    root.write(folder + "level", level);
    root.write(folder + "type", type);
    root.write(folder + "size", size);
    root.write(folder + "shared_cpu_list", shared);
  };
  cache(0, "1", "Data", "32K", "0,4");
  cache(1, "1", "Instruction", "64K", "0,4");
  cache(2, "2", "Unified", "1M", "0,4");
  cache(3, "3", "Unified", "32768K", "0-1,4-5");
  root.write("sys/devices/system/node/online", "0-1,8");
  root.write("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
  root.write("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
  root.write("sys/devices/system/node/node8/cpulist", "\n");
  root.write("sys/devices/system/node/node8/meminfo", "Node 8 MemTotal:       2048 kB\n");
}

}  // namespace

TEST_CASE("the facts of a host are read from sys and proc") {
  const TemporaryFolder root;
  write_machine(root);
  const HostFacts facts = read_host_facts(root.path());
  CHECK(facts.host == "n1");
  CHECK(facts.id == "b-o-o-t");
  CHECK(facts.cpu_vendor == "AuthenticAMD");
  CHECK(facts.cpu_model == "EPYC");
  CHECK(facts.cpu_family == 25);
  CHECK(facts.cpu_model_number == 17);
  CHECK(facts.packages == 2);
  CHECK(facts.cores == 4);
  CHECK(facts.cpus == 8);
  CHECK(facts.allowed_cpus == std::vector<int>{0, 1, 2});
  CHECK(facts.memory_bytes == 1024 * 1024);
  CHECK(facts.l1_bytes == 32 * 1024);
  CHECK(facts.l2_bytes == 1024 * 1024);
  CHECK(facts.l3_bytes == 32768 * 1024);
  CHECK(facts.cpus_per_l3 == 4);
  REQUIRE(facts.numa_nodes.size() == 3);
  CHECK(facts.numa_nodes[1] == NumaNode{.index = 1, .package = 1, .cpus = {2, 3, 6, 7}});
  CHECK(facts.numa_nodes[2] == NumaNode{.index = 8, .memory_bytes = 2048 * 1024});
}

TEST_CASE("a kernel without NUMA is one node, and an empty folder is a host of which nothing is known") {
  const TemporaryFolder root;
  CHECK(read_host_facts(root.path()) == HostFacts{});
  write_machine(root);
  std::filesystem::remove_all(root.path() / "sys/devices/system/node");
  const HostFacts facts = read_host_facts(root.path());
  REQUIRE(facts.numa_nodes.size() == 1);
  CHECK(facts.numa_nodes[0].cpus.size() == 8);
}

TEST_CASE("nonsense in sys and proc is left out") {
  const TemporaryFolder root;
  write_machine(root);
  root.write("sys/devices/system/cpu/online", "zero to seven");
  root.write("sys/devices/system/node/online", "0-99999999");
  root.write("proc/self/status", "Cpus_allowed_list");
  root.write("proc/cpuinfo", "model\nmodel : x\ncpu family : -\n");
  const HostFacts facts = read_host_facts(root.path());
  CHECK(facts.cpus == 0);
  CHECK(facts.numa_nodes.empty());
  CHECK(facts.allowed_cpus.empty());
  CHECK(facts.cpu_model_number == -1);
}

TEST_CASE("this machine has CPUs, a node and an identity") {
  const HostFacts& facts = this_host_facts();
  CHECK(facts.cpus == sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(facts.cores >= 1);
  CHECK(facts.cores <= facts.cpus);
  CHECK_FALSE(facts.numa_nodes.empty());
  CHECK_FALSE(facts.id.empty());
  CHECK(static_cast<int>(facts.allowed_cpus.size()) == allowed_cpu_count());
  CHECK(&this_host_facts() == &facts);
  const auto here = current_numa_node();
  CHECK(std::any_of(facts.numa_nodes.begin(), facts.numa_nodes.end(),
                    [&](const NumaNode& n) { return n.index == here; }));
}

TEST_CASE("placing memory is a wish and never a failure") {
  std::vector<char> memory(1 << 20, 'x');
  place_memory(memory.data(), memory.size(), current_numa_node());
  place_memory(memory.data() + 1, 10, 0);
  place_memory(nullptr, 0, 0);
  place_memory(memory.data(), memory.size(), -1);
  place_memory(memory.data(), memory.size(), 100'000);
  CHECK(std::all_of(memory.begin(), memory.end(), [](char c) { return c == 'x'; }));
}
