/// @file  Machines that files describe, as an emulated NVML tells of them.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "emulated_cuda/machine_file.hpp"
#include "processes.hpp"
#include "topology/live.hpp"
#include "topology/nvml.hpp"
#include "tutti/topology/presets.hpp"

using namespace tutti;
using namespace tutti::emulated;

namespace {

/// The GPUs of a machine with their NVLinks. Buses that a preset does not have are made up.
MachineFile machine_of(const Topology& topology) {
  MachineFile machine;
  std::map<int, int> gpu_of_device;
  for (const Device& device : topology.devices()) {
    if (device.kind != DeviceKind::gpu) continue;
    const auto number = static_cast<int>(machine.gpus.size());
    gpu_of_device[device.id] = number;
    machine.gpus.push_back({0, 0x20U + static_cast<unsigned>(number), 0, device.model.empty() ? "GPU" : device.model});
  }
  for (const Link& link : topology.links()) {
    const bool from = gpu_of_device.count(link.from) == 1, to = gpu_of_device.count(link.to) == 1;
    if (link.kind != LinkKind::nvlink || (!from && !to)) continue;
    const int gpu = gpu_of_device[from ? link.from : link.to];
    const int peer = from && to ? gpu_of_device[link.to] : -1;
    machine.links.push_back({gpu, peer, link.count});
    if (peer >= 0) machine.links.push_back({peer, gpu, link.count});
  }
  return machine;
}

/// NVLinks between each two GPUs, and to switches (-1), by the GPUs' numbers.
std::map<std::pair<int, int>, int> nvlinks(const Topology& topology) {
  std::map<std::pair<int, int>, int> links;
  std::map<int, int> numbers;
  for (const Device& device : topology.devices()) {
    if (device.kind == DeviceKind::gpu) numbers.emplace(device.id, static_cast<int>(numbers.size()));
  }
  for (const Link& link : topology.links()) {
    if (link.kind != LinkKind::nvlink) continue;
    int a = numbers.count(link.from) == 1 ? numbers[link.from] : -1,
        b = numbers.count(link.to) == 1 ? numbers[link.to] : -1;
    if (a < 0 && b < 0) continue;
    links[{std::min(a, b), std::max(a, b)}] += link.count;
  }
  return links;
}

}  // namespace

TEST_CASE("rank: the machine as NVML tells of it", "[.][machine]") {
  const Topology wanted = from_file_or_preset(std::getenv("WANTED_MACHINE"));
  const auto functions = nvml::library();
  REQUIRE(functions != nullptr);
  const Topology seen = read_live({.nvml = functions.get()});
  CHECK(nvlinks(seen) == nvlinks(wanted));
  int gpus = 0;
  for (const Device& device : seen.devices()) gpus += device.kind == DeviceKind::gpu ? 1 : 0;
  CHECK(gpus == static_cast<int>(machine_of(wanted).gpus.size()));
}

TEST_CASE("each machine that is known by name becomes a virtual one with its NVLinks") {
  int machines = 0;
  for (const Preset& known : presets()) {
    const Topology wanted = preset(known.name);
    const MachineFile machine = machine_of(wanted);
    bool of_nvidia = !machine.gpus.empty();
    for (const Link& link : wanted.links()) of_nvidia = of_nvidia && link.kind != LinkKind::xgmi;
    if (!of_nvidia) continue;
    ++machines;
    char path[] = "/tmp/tutti-machine-XXXXXX";
    const int file = mkstemp(path);
    REQUIRE(file >= 0);
    close(file);
    std::ofstream(path) << written(machine);
    const auto end = test::run_job(
        1, "[machine]", {{"EMULATED_MACHINE", path}, {"WANTED_MACHINE", "preset:" + std::string(known.name)}});
    std::remove(path);
    INFO(known.name << "\n" << written(machine) << end.text());
    CHECK(end.all_passed());
  }
  CHECK(machines >= 3);
}
