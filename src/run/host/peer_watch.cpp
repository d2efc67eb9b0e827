#include "run/host/peer_watch.hpp"

#include <fmt/format.h>

#include <utility>

namespace tutti::host {

std::string how_gone(const Presence& presence, int peer, bool ask, const std::string& host) {
  switch (presence.of(peer, ask)) {
    case Presence::Of::here:
      return {};
    case Presence::Of::left:
      return "it has left the communicator without making this call";
    case Presence::Of::dead:
      break;
  }
  return fmt::format("its process {} on {} is gone", static_cast<long>(presence.process(peer)), host);
}

std::string PeerWatch::gone(const Presence& presence, int peer, const std::string& host) {
  if (peer < 0) return {};
  const auto now = std::chrono::steady_clock::now();
  const bool ask = suspect_ >= 0 || now >= next_ask_;
  if (ask) next_ask_ = now + std::chrono::milliseconds(20);
  std::string how = how_gone(presence, peer, ask, host);
  const int before = std::exchange(suspect_, how.empty() ? -1 : peer);
  return before == peer ? how : std::string();
}

}  // namespace tutti::host
