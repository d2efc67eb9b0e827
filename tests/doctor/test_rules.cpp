#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "catch.hpp"
#include "fake_machine.hpp"

using namespace tutti;
using namespace tutti::doctor;

namespace {

using Break = std::function<void(FakeMachine&)>;

struct Case {
  const char* expected;  ///< the id and the severity of the only finding
  Break broken;
};

Break says(const std::string& path, const std::string& text) {
  return [=](FakeMachine& m) { m.file(path, text); };
}

Break gpu0(const std::string& from, const std::string& to) {
  return [=](FakeMachine& m) {
    m.outputs["nvidia-smi -q -x"] = FakeMachine::smi(FakeMachine::gpu(0, {{from, to}}), FakeMachine::gpu(1));
  };
}

Break port0(const std::string& name, const std::string& text) {
  return [=](FakeMachine& m) { m.port("mlx5_0", name, text); };
}

Break roce(const Break& more) {
  return [=](FakeMachine& m) {
    m.make_roce();
    more(m);
  };
}

Break set(const std::string& name, const std::string& value) {
  return [=](FakeMachine& m) { m.variables[name] = value; };
}

Break limits(const std::string& line) {
  return
      [=](FakeMachine& m) { m.file("proc/self/limits", "Max locked memory         unlimited            x\n" + line); };
}

const std::string cuda = "usr/local/cuda/version.json";
const std::string gpu_folder = "sys/bus/pci/devices/0000:01:00.0/";
const std::string nic_folder = "sys/bus/pci/devices/0000:02:00.0/";

const std::vector<Case> cases = {
    // driver and libraries
    {"gpu-without-driver error",
     [](FakeMachine& m) {
       m.remove("proc/driver/nvidia");
       m.outputs.clear();
     }},
    {"driver-too-old error", says(cuda, R"({"cuda": {"version": "13.0.0"}})")},
    {"driver-older-than-toolkit warning", says(cuda, R"({"cuda": {"version": "12.8.1"}})")},
    {"driver-libraries-differ error", says("usr/lib64/libnvidia-ml.so.550.54.15", "")},
    {"nccl-too-old error",
     [](FakeMachine& m) {
       m.remove("usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5");
       m.file("usr/lib/x86_64-linux-gnu/libnccl.so.2.8.4", "");
     }},
    {"nccl-known-bad warning",
     [](FakeMachine& m) {
       m.remove("usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5");
       m.file("usr/lib/x86_64-linux-gnu/libnccl.so.2.29.2", "");
     }},
    {"nccl-several warning", says("usr/local/lib/libnccl.so.2.23.4", "")},
    {"nccl-twice-in-process error", says("proc/77/maps",
                                         "7f00-7f01 r-xp 0 0 0 /usr/lib/libnccl.so.2.27.5\n"
                                         "7f02-7f03 r-xp 0 0 0 /opt/venv/nvidia/nccl/lib/libnccl.so.2\n")},
    // GPUs
    {"fabric-not-ready error", gpu0("<state>Completed</state>", "<state>In Progress</state>")},
    {"persistence-off note", gpu0("<persistence_mode>Enabled", "<persistence_mode>Disabled")},
    {"ecc-off note", gpu0("<current_ecc>Enabled", "<current_ecc>Disabled")},
    {"ecc-errors error", gpu0("<dram_uncorrectable>0", "<dram_uncorrectable>2")},
    {"ecc-rows error", gpu0("<remapped_row_pending>No", "<remapped_row_pending>Yes")},
    {"mig-on warning", gpu0("<current_mig>Disabled", "<current_mig>Enabled")},
    {"thermal-slowdown error", gpu0("_hw_thermal_slowdown>Not Active", "_hw_thermal_slowdown>Active")},
    {"temperature-high warning", gpu0("<gpu_temp>40", "<gpu_temp>84")},
    {"power-brake error", gpu0("_hw_power_brake_slowdown>Not Active", "_hw_power_brake_slowdown>Active")},
    {"power-capped warning", gpu0("<current_power_limit>700.00", "<current_power_limit>450.00")},
    {"clocks-limited warning",
     gpu0("<applications_clocks><graphics_clock>1980", "<applications_clocks><graphics_clock>1200")},
    {"compute-mode warning", gpu0("<compute_mode>Default", "<compute_mode>Exclusive_Process")},
    {"compute-mode error", gpu0("<compute_mode>Default", "<compute_mode>Prohibited")},
    {"gpus-differ warning", gpu0("H100 80GB HBM3 SXM", "A100-SXM4-80GB")},
    {"pcie-replays warning", gpu0("<replay_counter>0", "<replay_counter>4711")},
    {"p2p-not-ok warning",
     [](FakeMachine& m) { m.outputs["nvidia-smi topo -p2p r"] = " \tGPU0\tGPU1\n GPU0\tX\tCNS\n GPU1\tCNS\tX\n"; }},
    {"nvlink-missing warning", [](FakeMachine& m) { m.outputs["nvidia-smi nvlink -s"] = "GPU 0: x\nGPU 1: x\n"; }},
    {"nvlink-uneven warning",
     [](FakeMachine& m) {
       m.outputs["nvidia-smi nvlink -s"] = "GPU 0: x\n Link 0: 25 GB/s\nGPU 1: x\n Link 0: 25 GB/s\n Link 1: 25 GB/s\n";
     }},
    // PCI
    {"pcie-narrow warning", says(gpu_folder + "current_link_width", "8")},
    {"pcie-slow note", says(gpu_folder + "current_link_speed", "2.5 GT/s PCIe")},
    {"pcie-slow warning", says(nic_folder + "current_link_speed", "16.0 GT/s PCIe")},
    {"acs-on warning", [](FakeMachine& m) { m.bridge_control(0x001d); }},
    {"acs-unreadable note", says("sys/bus/pci/devices/0000:00:01.0/config", std::string(64, 'x'))},
    {"iommu-translates warning", says("sys/kernel/iommu_groups/0/type", "DMA-FQ")},
    // GPUDirect
    {"gdr-no-way warning", says("proc/modules", "nvidia 56000000 8 - Live 0x0\n")},
    {"gdr-old-module note", says("proc/modules", "nv_peer_mem 16384 0 - Live 0x0\n")},
    // InfiniBand
    {"ib-port-down warning", port0("state", "1: DOWN")},
    {"ib-no-manager error", port0("state", "2: INIT")},
    {"ib-rate-low warning", port0("rate", "200 Gb/sec (4X HDR)")},
    {"ib-errors warning", port0("counters/symbol_error", "1234")},
    {"ib-no-device-file error", [](FakeMachine& m) { m.remove("dev/infiniband/uverbs0"); }},
    {"ib-firmware-differs warning", says("sys/class/infiniband/mlx5_0/fw_ver", "28.36.1010")},
    {"ib-far note", says("sys/class/infiniband/mlx5_1/device/numa_node", "0")},
    // RoCE
    {"roce-no-v2-address error",
     roce([](FakeMachine& m) { m.remove("sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3"); })},
    {"roce-no-v2-address warning", roce(port0("gids/3", "fe80:0000:0000:0000:9a03:9bff:fe00:0001"))},
    {"roce-gid-index error", roce(set("NCCL_IB_GID_INDEX", "0"))},
    {"roce-mtu warning", roce(says("sys/class/net/rdma0/mtu", "1500"))},
    {"roce-no-class note", roce([](FakeMachine& m) { m.remove("sys/class/infiniband/mlx5_0/tc"); })},
    // limits
    {"memlock error",
     says("proc/self/limits", "Max locked memory         8388608              8388608              bytes\n")},
    {"memlock warning",
     says("proc/self/limits", "Max locked memory         8589934592           8589934592           bytes\n")},
    {"nofile note", limits("Max open files            20000                20000                files\n")},
    {"nofile warning", limits("Max open files            1024                 20000                files\n")},
    {"stack-unlimited note", limits("Max stack size            unlimited            unlimited            bytes\n")},
    {"processes-limit warning",
     limits("Max processes             1024                 1024                 processes\n")},
    {"processes-limit warning", says("sys/fs/cgroup/system.slice/job/pids.max", "512")},
    {"shm-small error", says("proc/self/mounts", "shm /dev/shm tmpfs rw,size=65536k 0 0\n")},
    {"shm-small warning", says("proc/self/mounts", "shm /dev/shm tmpfs rw,size=512m 0 0\n")},
    {"cpu-quota warning", says("sys/fs/cgroup/system.slice/job/cpu.max", "800000 100000")},
    {"cpu-quota warning", says("sys/fs/cgroup/system.slice/cpu.max", "800000 100000")},
    {"memory-limit note", says("sys/fs/cgroup/system.slice/job/memory.max", "68719476736")},
    // host
    {"cpus-few warning",
     [](FakeMachine& m) { m.file("proc/self/status", "Name:\tx\nNSpid:\t42\nCpus_allowed_list:\t0-1\n"); }},
    {"memory-small warning", says("proc/meminfo", "MemTotal: 527433784 kB\nMemAvailable: 1000000 kB\n")},
    {"ptrace-scope note", says("proc/sys/kernel/yama/ptrace_scope", "1")},
    {"pid-namespace note", says("proc/self/status", "Name:\tx\nNSpid:\t4242\t7\nCpus_allowed_list:\t0-63\n")},
    {"no-interface error", says("sys/class/net/eth0/operstate", "down")},
    {"host-name-loopback note", says("etc/hosts", "127.0.0.1 localhost\n127.0.1.1\tn1\n")},
    {"numa-balancing warning", says("proc/sys/kernel/numa_balancing", "1")},
    {"huge-pages-never note", says("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]")},
    {"governor warning", says("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave")},
    {"remove-ipc note", says("etc/systemd/logind.conf", "[Login]\nRemoveIPC=yes\n")},
    // the job
    {"bound-to-one-cpu warning",
     [](FakeMachine& m) {
       m.file("proc/88/maps", "7f00-7f01 r-xp 0 0 0 /usr/lib/libcuda.so.535.104.05\n");
       m.file("proc/88/status", "Name:\ttrain\nCpus_allowed_list:\t5\n");
     }},
    {"bound-far warning",
     [](FakeMachine& m) {
       m.file("sys/bus/pci/devices/0000:41:00.0/local_cpulist", "0-31");
       m.file("proc/88/maps", "7f00-7f01 r-xp 0 0 0 /usr/lib/libcuda.so.535.104.05\n");
       m.file("proc/88/status", "Name:\ttrain\nCpus_allowed_list:\t40-47\n");
     }},
    {"ranks-exceed-gpus warning", set("OMPI_COMM_WORLD_LOCAL_SIZE", "4")},
    {"slurm-one-cpu warning", set("SLURM_CPUS_PER_TASK", "1")},
    // settings
    {"env-misspelt error", set("NCCL_IB_TIMOUT", "22")},
    {"env-device error", set("NCCL_IB_HCA", "mlx4_0")},
    {"env-deprecated warning", says("etc/nccl.conf", "NCCL_MIN_NCHANNELS=8\n")},
};

}  // namespace

TEST_CASE("a healthy machine has no findings") {
  FakeMachine machine;
  CHECK(ids_of(machine.findings()).empty());
  machine.make_roce();
  CHECK(ids_of(machine.findings()).empty());
}

TEST_CASE("one thing that is broken is one finding, by the rule made for it") {
  for (const Case& each : cases) {
    FakeMachine machine;
    each.broken(machine);
    const auto findings = machine.findings();
    INFO(each.expected);
    CHECK(ids_of(findings) == std::vector<std::string>{each.expected});
    for (const Finding& finding : findings) {
      CHECK_FALSE(finding.subject.empty());
      CHECK_FALSE(finding.remedy.empty());
      CHECK(finding.place.starts_with("n1"));
    }
  }
}

TEST_CASE("things that break together are all found") {
  FakeMachine machine;
  machine.outputs["nvidia-smi nvlink -s"] =
      "GPU 0: x\n Link 0: 25 GB/s\n Link 1: <inactive>\nGPU 1: x\n Link 0: 25 GB/s\n Link 1: 25 GB/s\n";
  machine.port("mlx5_0", "link_layer", "Ethernet");
  CHECK(ids_of(machine.findings()) == std::vector<std::string>{"ib-mixed-links warning", "nvlink-down error",
                                                               "nvlink-uneven warning", "roce-no-class note",
                                                               "roce-no-v2-address error"});
}

TEST_CASE("ports that cannot be shared out among the GPUs are told") {
  FakeMachine machine;
  machine.adapter("mlx5_2", 0);
  CHECK(ids_of(machine.findings()) == std::vector<std::string>{"ib-rails-uneven warning"});
  machine.adapter("mlx5_3", 0);
  CHECK(machine.findings().empty());
}

TEST_CASE("a link that its slot narrows is as it should be") {
  FakeMachine machine;
  // The adapter could use 16 lanes, the port above has 8.
  machine.remove("sys/bus/pci/devices/0000:02:00.0");
  machine.file("sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/class", "0x020700");
  machine.file("sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/vendor", "0x15b3");
  machine.file("sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/current_link_width", "8");
  machine.file("sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/max_link_width", "16");
  machine.pci("0000:00:02.0", "0x060000", "0x8086", 0);
  machine.file("sys/bus/pci/devices/0000:00:02.0/max_link_width", "8");
  std::filesystem::create_directory_symlink("../../../devices/pci0000:00/0000:00:02.0/0000:02:00.0",
                                            machine.root() / "sys/bus/pci/devices/0000:02:00.0");
  CHECK(ids_of(machine.findings()).empty());
  machine.file("sys/bus/pci/devices/0000:00:02.0/max_link_width", "16");
  CHECK(ids_of(machine.findings()) == std::vector<std::string>{"pcie-narrow warning"});
}

TEST_CASE("a bare machine is told what it lacks, and nothing else") {
  const TemporaryFolder root;
  root.write("proc/self/status", "Name:\ttutti\nNSpid:\t42\nCpus_allowed_list:\t0-1\n");
  root.write("proc/self/limits",
             "Max open files            20000                20000                files     \n"
             "Max locked memory         8388608              8388608              bytes     \n");
  root.write("sys/devices/system/cpu/online", "0-1");
  const auto findings = diagnose(std::vector<Snapshot>{collect({.root = root.path()})});
  CHECK(ids_of(findings) == std::vector<std::string>{"cpus-few warning", "memlock note", "no-gpu note", "nofile note"});
  CHECK(exit_status(findings) == 2);
}

TEST_CASE("the machine at hand can be looked at") {
  const Snapshot here = collect(this_machine_source());
  CHECK(here.text("proc/self/status"));
  for (const Finding& each : diagnose(std::vector<Snapshot>{here})) {
    INFO(each.id);
    CHECK_FALSE(each.what.empty());
    CHECK_FALSE(each.evidence.empty());
  }
}

TEST_CASE("every rule of the doctor has a case, a remedy, and a place in docs/doctor.md") {
  std::ifstream stream(TUTTI_SOURCE_DIR "/docs/doctor.md");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  std::set<std::string> tried;
  for (const Case& each : cases)
    tried.insert(std::string(each.expected).substr(0, std::string(each.expected).find(' ')));
  // These have cases of their own: with others, on a bare machine, or with several hosts.
  for (const char* id : {"no-gpu", "nvlink-down", "ib-mixed-links", "ib-rails-uneven", "oversubscribed"})
    tried.insert(id);
  std::set<std::string_view> ids;
  for (const Rule& rule : rules()) {
    INFO(rule.id);
    CHECK(ids.insert(rule.id).second);
    CHECK_FALSE(rule.what.empty());
    CHECK_FALSE(rule.remedy.empty());
    CHECK(page.find("\n### " + std::string(rule.id) + "\n") != std::string::npos);
    if (!rule.id.starts_with("hosts-")) CHECK(tried.count(std::string(rule.id)) == 1);
  }
  CHECK(ids.size() >= 60);
}
