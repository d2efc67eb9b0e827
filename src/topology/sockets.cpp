#include "topology/sockets.hpp"

#include <charconv>

#include "topology/rates.hpp"

namespace tutti {

void join_sockets(TopologyParts& parts) {
  std::vector<std::vector<int>> cpus(parts.hosts.size());
  for (const Device& device : parts.devices) {
    if (device.kind == DeviceKind::cpu) cpus[static_cast<std::size_t>(device.host)].push_back(device.id);
  }
  for (std::size_t host = 0; host < cpus.size(); ++host) {
    const auto rate = rates::socket(parts.hosts[host]);
    for (std::size_t a = 0; a < cpus[host].size(); ++a) {
      for (std::size_t b = a + 1; b < cpus[host].size(); ++b) {
        parts.add(Link{.kind = LinkKind::socket,
                       .from = cpus[host][a],
                       .to = cpus[host][b],
                       .bandwidth = Quantity::assumed(rate.reached),
                       .rated = Quantity::assumed(rate.rated),
                       .latency = Quantity::assumed(rates::latency(LinkKind::socket))});
      }
    }
  }
}

Link network_link(const Device& nic, int network_switch) {
  Link link{.kind = LinkKind::network, .from = nic.id, .to = network_switch};
  link.latency = Quantity::assumed(rates::latency(LinkKind::network));
  const auto speed = nic.attributes.find("speed");
  if (speed == nic.attributes.end()) return link;
  double megabits = 0;
  const auto& text = speed->second;
  std::from_chars(text.data(), text.data() + text.size(), megabits);
  if (megabits > 0 && megabits < 1e8) link.bandwidth = link.rated = Quantity::read(megabits / 8000);
  return link;
}

}  // namespace tutti
