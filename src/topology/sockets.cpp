#include "topology/sockets.hpp"

#include <charconv>

#include "topology/rates.hpp"

namespace tutti {

namespace {
constexpr double most_megabits = 3'200'000;  // four times the fastest port there is
}

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

Quantity port_speed(const Device& nic) {
  const auto speed = nic.attributes.find("speed");
  if (speed == nic.attributes.end()) return {};
  double megabits = 0;
  const auto& text = speed->second;
  std::from_chars(text.data(), text.data() + text.size(), megabits);
  if (megabits <= 0 || megabits > most_megabits) return {};  // one dialect writes 200000000 for nobody knows
  return Quantity::read(megabits / 8000);
}

Link network_link(const Device& nic, int network_switch) {
  Link link{.kind = LinkKind::network, .from = nic.id, .to = network_switch};
  link.latency = Quantity::assumed(rates::latency(LinkKind::network));
  link.bandwidth = link.rated = port_speed(nic);
  return link;
}

}  // namespace tutti
