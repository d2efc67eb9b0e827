#include "topology/same_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>

#include "topology/pci_id.hpp"

namespace tutti {

namespace {

/// "x86_64", "ppc64le" and "aarch64" as families; empty when it is not known.
std::string_view family(std::string_view architecture) {
  if (architecture.starts_with("x86") || architecture == "amd64") return "x86";
  if (architecture.starts_with("ppc")) return "POWER";
  if (architecture.starts_with("arm") || architecture.starts_with("aarch")) return "Arm";
  return {};
}

/// Compute capability times ten of an NVIDIA GPU; empty when it is not known, or the GPU is another maker's.
std::string_view generation(const Device& gpu) {
  const auto sm = gpu.attributes.find("sm");
  return sm == gpu.attributes.end() || gpu.attributes.contains("gcn") ? std::string_view{}
                                                                      : std::string_view(sm->second);
}

std::set<std::uint64_t> bus_ids(std::span<const Device> devices) {
  std::set<std::uint64_t> ids;
  for (const Device& device : devices) {
    const auto number = pci_number(device.pci);
    if (device.kind == DeviceKind::gpu && number) ids.insert(*number);
  }
  return ids;
}

}  // namespace

std::vector<std::string> why_not_one_machine(const TopologyParts& known, const Topology& source,
                                             const std::vector<int>& here) {
  std::vector<std::string> why;
  const auto differ = [&](const char* what, std::string_view ours, std::string_view theirs) {
    if (ours.empty() || theirs.empty() || ours == theirs) return;
    why.push_back(fmt::format("{} is {} in {} and {} in {}", what, ours, known.name, theirs, source.name()));
  };
  if (!known.hosts.empty() && !source.hosts().empty()) {
    const HostFacts& ours = known.hosts.front();
    const HostFacts& theirs = source.hosts().front();
    differ("the processor's family", family(ours.architecture), family(theirs.architecture));
    differ("the processor's maker", ours.cpu_vendor, theirs.cpu_vendor);
  }
  const auto ours = bus_ids(known.devices);
  const auto theirs = bus_ids(source.devices());
  const bool shared = std::any_of(ours.begin(), ours.end(), [&](std::uint64_t id) { return theirs.contains(id); });
  if (!ours.empty() && !theirs.empty() && !shared) {
    why.push_back(fmt::format("none of the {} GPUs of {} is at a bus id of the {} of {}", theirs.size(), source.name(),
                              ours.size(), known.name));
  }
  const Device* first = nullptr;
  int compared = 0;
  bool all_differ = true;  // one that differs is odd, as a wrong line would be; all of them are another machine's
  for (const Device& device : source.devices()) {
    const int at = here[static_cast<std::size_t>(device.id)];
    if (device.kind != DeviceKind::gpu || at < 0) continue;
    const auto mine = generation(known.devices[static_cast<std::size_t>(at)]);
    if (mine.empty() || generation(device).empty()) continue;
    if (!first) first = &device;
    ++compared;
    all_differ = all_differ && mine != generation(device);
  }
  if (compared > 1 && all_differ) {
    differ(fmt::format("the compute capability of {}", first->name).c_str(),
           generation(known.devices[static_cast<std::size_t>(here[static_cast<std::size_t>(first->id)])]),
           generation(*first));
  }
  return why;
}

}  // namespace tutti
