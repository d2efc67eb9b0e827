#include "doctor/snapshot.hpp"

#include "catch.hpp"
#include "doctor/pci_config.hpp"
#include "fake_machine.hpp"
#include "topology/contains.hpp"

using namespace tutti;
using namespace tutti::doctor;

TEST_CASE("a snapshot that is written and read is the same, and is judged the same") {
  FakeMachine machine;
  machine.bridge_control(0x001d);
  machine.variables["NCCL_IB_TIMOUT"] = "22";
  const Snapshot before = machine.snapshot();
  const Snapshot after = read_snapshot(write_snapshot(before), "n1.json");
  CHECK(after == before);
  CHECK(diagnose(std::vector<Snapshot>{after}) == machine.findings());
}

TEST_CASE("a snapshot holds no secrets, and no variables that nobody asks for") {
  FakeMachine machine;
  machine.variables = {{"TUTTI_SECRET", "abc"}, {"HOME", "/root"}, {"NCCL_DEBUG", "INFO"}, {"SLURM_JWT_TOKEN", "x"}};
  CHECK(machine.snapshot().environment == std::map<std::string, std::string>{{"NCCL_DEBUG", "INFO"}});
}

TEST_CASE("text that is no snapshot is refused by name") {
  for (const char* bad :
       {"", "{", "[]", "{}", R"({"schema": 3})", R"({"schema": "tutti-doctor-snapshot-1"})",
        R"({"schema": "tutti-doctor-snapshot-1", "host": 1, "files": {}, "folders": {}, "outputs": {}})"}) {
    INFO(bad);
    CHECK_THROWS_WITH(read_snapshot(bad, "n1.json"), contains("n1.json is no snapshot"));
  }
}

TEST_CASE("a snapshot of very many files is read as fast as it is long") {
  Snapshot many;
  for (int i = 0; i < 100'000; ++i) many.files["f" + std::to_string(i)] = "";  // minutes where reading looks back
  CHECK(read_snapshot(write_snapshot(many), "n1.json") == many);
}

TEST_CASE("a folder with nothing in it is a machine with nothing in it") {
  const TemporaryFolder root;
  const Snapshot empty = collect({.root = root.path()});
  CHECK(empty.files.empty());
  CHECK(ids_of(diagnose(std::vector<Snapshot>{empty})) == std::vector<std::string>{"no-gpu note"});
}

TEST_CASE("ACS is found in the list of capabilities, and a damaged list ends") {
  std::string config(4096, '\0');
  CHECK_FALSE(acs_control(config));
  CHECK_FALSE(acs_control(config.substr(0, 64)));
  config[0x100] = 0x01;
  config[0x102] = 0x01;
  config[0x103] = 0x10;  // the next one is this one again
  CHECK_FALSE(acs_control(config));
  config[0x100] = 0x0d;
  config[0x106] = 0x1d;
  CHECK(acs_control(config) == 0x1d);
  CHECK_FALSE(acs_control(std::string(4096, '\xff')));
}

TEST_CASE("hosts are compared with one another") {
  FakeMachine first;
  FakeMachine second;
  second.file("proc/sys/kernel/hostname", "n2");
  second.file("etc/hosts", "10.0.0.2 n2\n");
  const auto compared = [&] { return ids_of(diagnose(std::vector<Snapshot>{first.snapshot(), second.snapshot()})); };
  CHECK(compared().empty());
  second.file("sys/class/net/eth0/mtu", "9000");
  CHECK(compared() == std::vector<std::string>{"hosts-mtu warning"});
  first.file("sys/class/net/eth0/mtu", "9000");
  second.file("proc/sys/kernel/osrelease", "6.5.0");
  CHECK(compared() == std::vector<std::string>{"hosts-kernel note"});
  second.file("proc/sys/kernel/osrelease", "5.15.0-91-generic");
  second.variables["NCCL_ALGO"] = "Ring";
  CHECK(compared() == std::vector<std::string>{"env-ranks-differ error"});
  second.variables.clear();
  second.remove("sys/class/infiniband/mlx5_1");
  CHECK(compared() == std::vector<std::string>{"hosts-adapters warning", "ib-far note"});
  second.adapter("mlx5_1", 1);
  second.remove("usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5");
  second.file("usr/lib/x86_64-linux-gnu/libnccl.so.2.27.7", "");
  CHECK(compared() == std::vector<std::string>{"hosts-nccl error"});
  second.remove("usr/lib/x86_64-linux-gnu/libnccl.so.2.27.7");
  second.file("usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5", "");
  second.outputs["nvidia-smi -q -x"] = FakeMachine::smi(FakeMachine::gpu(0), "");
  CHECK(compared() == std::vector<std::string>{"hosts-gpus warning"});
  second.outputs = first.outputs;
  second.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  x\n");
  second.remove("usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.104.05");
  CHECK(compared() == std::vector<std::string>{"hosts-driver error"});
}

TEST_CASE("limits and PCIe links are compared between hosts") {
  FakeMachine first;
  FakeMachine second;
  second.file("proc/self/limits",
              "Max open files            500000               500000               files\n"
              "Max locked memory         unlimited            unlimited            bytes\n");
  const auto compared = [&] { return ids_of(diagnose(std::vector<Snapshot>{first.snapshot(), second.snapshot()})); };
  CHECK(compared() == std::vector<std::string>{"hosts-limits warning"});
  second.file("proc/self/limits", "");
  second.file("sys/bus/pci/devices/0000:01:00.0/current_link_width", "8");
  CHECK(compared() == std::vector<std::string>{"hosts-pci warning", "pcie-narrow warning"});
}

TEST_CASE("more ranks than CPUs are told") {
  FakeMachine machine;
  machine.remove("sys/bus/pci/devices");
  machine.remove("proc/driver/nvidia");
  machine.outputs.clear();
  machine.variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = "128";
  CHECK(ids_of(machine.findings()) == std::vector<std::string>{"no-gpu note", "oversubscribed warning"});
}
