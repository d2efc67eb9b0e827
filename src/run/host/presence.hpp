/// @file  Presence: whether the other ranks of a host are still there, so that nobody waits for one that has gone.
#pragma once

#include <sys/types.h>

#include "run/host/arena.hpp"

namespace tutti::host {

/// Says in the arena that this rank is here and, when it goes, that it has left.
///
/// Whatever a rank did before it left or died is visible to whoever finds it gone: look once more for what is awaited.
class Presence {
 public:
  Presence(const Arena& arena, int rank);
  ~Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

  enum class Of : std::uint8_t { here, left, dead };
  /// `ask`: ask the kernel too whether the peer's process lives; some microseconds.
  Of of(int peer, bool ask) const;
  /// The peer's process.
  pid_t process(int peer) const;

 private:
  const Arena& arena_;
  int rank_;
  pid_t pid_;
};

}  // namespace tutti::host
