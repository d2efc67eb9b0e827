#include "run/host/peer_watch.hpp"

#include <fmt/format.h>

#include <utility>

namespace tutti::host {

std::string PeerWatch::gone(const Presence& presence, int peer, const std::string& host) {
  if (peer < 0) return {};
  const auto now = std::chrono::steady_clock::now();
  const bool ask = suspect_ >= 0 || now >= next_ask_;
  if (ask) next_ask_ = now + std::chrono::milliseconds(20);
  const Presence::Of found = presence.of(peer, ask);
  const int before = std::exchange(suspect_, found == Presence::Of::here ? -1 : peer);
  if (found == Presence::Of::here || before != peer) return {};
  if (found == Presence::Of::left) return "it has left the communicator without making this call";
  return fmt::format("its process {} on {} is gone", static_cast<long>(presence.process(peer)), host);
}

}  // namespace tutti::host
