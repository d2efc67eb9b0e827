#include "topology/smi_nvlinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "topology/rates.hpp"

namespace tutti {

namespace {

/// A matrix names no model. 18 links are those of the H100 or a later one, up to 12 the A100's or an earlier one's.
rates::Rate one_link(int of_gpu) { return rates::nvlink(of_gpu >= SmiNvLinks::most_links ? 90 : 80); }

Link nvlink(int from, int to, int count, int of_gpu) {
  const auto rate = one_link(of_gpu);
  return {.kind = LinkKind::nvlink,
          .from = from,
          .to = to,
          .count = count,
          .bandwidth = Quantity::assumed(rate.reached * count),
          .rated = Quantity::assumed(rate.rated * count),
          .latency = Quantity::assumed(rates::latency(LinkKind::nvlink))};
}

}  // namespace

void SmiNvLinks::resolve() {
  std::map<int, int> sum;
  std::map<int, int> widest;
  for (const auto& [pair, links] : pairs_) {
    for (const int gpu : {pair.first, pair.second}) {
      sum[gpu] += links;
      widest[gpu] = std::max(widest[gpu], links);
    }
  }
  const auto switched = [&](int gpu) { return sum[gpu] > most_links; };
  std::map<int, int> fabric;  // of each GPU with a switch
  for (const auto& [pair, links] : pairs_) {
    const auto [a, b] = pair;
    if (!switched(a) || !switched(b)) {
      parts_.add(nvlink(a, b, links, std::min(sum[a], most_links)));
      continue;
    }
    const auto known = fabric.find(a);
    int through = known != fabric.end() ? known->second : fabric.contains(b) ? fabric[b] : -1;
    if (through < 0) {
      const int number =
          static_cast<int>(std::count_if(parts_.devices.begin(), parts_.devices.end(),
                                         [](const Device& d) { return d.kind == DeviceKind::nv_switch; }));
      through = parts_.add(Device{.kind = DeviceKind::nv_switch,
                                  .name = fmt::format("nvswitch{}", number),
                                  .model = "assumed: all NVSwitches as one"});
    }
    for (const int gpu : {a, b}) {
      if (fabric.emplace(gpu, through).second) parts_.add(nvlink(gpu, through, widest[gpu], widest[gpu]));
    }
  }
}

}  // namespace tutti
