#include "topology/nvlink_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "topology/match.hpp"

namespace tutti {

namespace {

double number_in(const Device& device, const char* key) {
  const auto at = device.attributes.find(key);
  double value = 0;
  if (at != device.attributes.end()) {
    std::from_chars(at->second.data(), at->second.data() + at->second.size(), value);
  }
  return value > 0 && value < 10'000 ? value : 0;
}

}  // namespace

void use_nvlink_status(TopologyParts& parts) {
  std::map<int, int> count;
  for (Link& link : parts.links) {
    if (link.kind != LinkKind::nvlink) continue;
    double rate = 0;
    for (const int end : {link.from, link.to}) {
      const Device& device = parts.devices[static_cast<std::size_t>(end)];
      if (device.kind != DeviceKind::gpu) continue;
      count[end] += link.count;
      if (const double said = number_in(device, "nvlink_GBs"); said > 0) rate = rate > 0 ? std::min(rate, said) : said;
    }
    if (rate > 0 && link.rated.origin != Origin::read) link.rated = Quantity::read(rate * link.count);
  }
  for (const auto& [gpu, links] : count) {
    const Device& device = parts.devices[static_cast<std::size_t>(gpu)];
    const int said = static_cast<int>(number_in(device, "nvlinks"));
    if (said == 0 || said == links) continue;
    auto note = fmt::format("{} shows {} NVLinks, but {} work by `nvidia-smi nvlink -s`", call(device), links, said);
    if (std::find(parts.notes.begin(), parts.notes.end(), note) == parts.notes.end())
      parts.notes.push_back(std::move(note));
  }
}

}  // namespace tutti
