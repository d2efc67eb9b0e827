#include "topology/idle_links.hpp"

#include <fmt/format.h>

#include <string>

#include "topology/rates.hpp"

namespace tutti {

namespace {

// By bus id: names may change as more is read.
std::string start_of_note(const Device& device) { return device.pci + ": its PCI link is read at 2.5 GT/s"; }

}  // namespace

void doubt_idle_links(TopologyParts& parts, const std::set<int>& for_gpus_only) {
  for (Link& link : parts.links) {
    const Device& device = parts.devices[static_cast<std::size_t>(link.to)];
    const bool of_gpu = device.kind == DeviceKind::gpu || for_gpus_only.contains(device.id);
    if (link.kind != LinkKind::pci || !of_gpu || !link.speed.known() || link.speed.value > 2.5) continue;
    link.bandwidth = Quantity::assumed(rates::pci(8, 16).reached);
    parts.notes.push_back(
        fmt::format("{} ({:.4g} GB/s), as that of a GPU with nothing to do; taken as generation 3 x16, "
                    "12 GB/s, until a source says what it can do",
                    start_of_note(device), link.rated.value));
    link.rated = {};
  }
}

void forget_idle_link(TopologyParts& parts, const Device& device) {
  std::erase_if(parts.notes,
                [start = start_of_note(device)](const std::string& note) { return note.starts_with(start); });
}

}  // namespace tutti
