/// @file  PeerWatch: whether the rank that a wait is for has gone, with certainty.
#pragma once

#include <chrono>
#include <string>

#include "run/host/presence.hpp"

namespace tutti::host {

/// How `peer` of this `host` has gone, in words; empty: it has not. `ask` the kernel too.
std::string how_gone(const Presence& presence, int peer, bool ask, const std::string& host);

/// What a rank did before it went may still have to be looked at: so it takes two looks, and between them the caller
/// moves everything on.
class PeerWatch {
 public:
  /// A new wait begins.
  void start() { suspect_ = -1; }

  /// How `peer`, -1: nobody, of this `host`, has gone; empty: it has not, or was not yet known to have at the look before. Asks the
  /// kernel seldom.
  std::string gone(const Presence& presence, int peer, const std::string& host);

 private:
  int suspect_ = -1;                                  ///< a peer that was found gone; -1: none
  std::chrono::steady_clock::time_point next_ask_{};  ///< when to ask the kernel
};

}  // namespace tutti::host
