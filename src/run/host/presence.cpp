#include "run/host/presence.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "tutti/base/unique_fd.hpp"

namespace tutti::host {

namespace {

constexpr std::int64_t has_left = -1;  // in place of a process

/// Process numbers mean the same only within one of these.
std::uint64_t pid_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/// Has this process ended, be it that nobody has waited for it yet? In doubt it lives.
bool is_dead(pid_t pid) {
#ifdef SYS_pidfd_open
  const UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (fd) {
    pollfd end{fd.fd(), POLLIN, 0};
    return poll(&end, 1, 0) == 1;
  }
  if (errno == ESRCH) return true;
#endif
  return kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

Presence::Presence(const Arena& arena, int rank) : arena_(arena), rank_(rank), pid_(getpid()) {
  Arrival& mine = arena_.arrival(rank_);
  mine.pid_namespace.store(pid_namespace(), std::memory_order_relaxed);
  mine.process.store(pid_, std::memory_order_release);
}

Presence::~Presence() {
  if (getpid() != pid_) return;  // forked: the rank stayed in the parent
  arena_.arrival(rank_).process.store(has_left, std::memory_order_release);
}

Presence::Of Presence::of(int peer, bool ask) const {
  const Arrival& other = arena_.arrival(peer);
  const std::int64_t process = other.process.load(std::memory_order_acquire);
  if (process == has_left) return Of::left;
  if (!ask || process == 0 || process == pid_) return Of::here;
  const std::uint64_t mine = arena_.arrival(rank_).pid_namespace.load(std::memory_order_relaxed);
  if (mine == 0 || other.pid_namespace.load(std::memory_order_relaxed) != mine) return Of::here;
  return is_dead(static_cast<pid_t>(process)) ? Of::dead : Of::here;
}

pid_t Presence::process(int peer) const {
  return static_cast<pid_t>(arena_.arrival(peer).process.load(std::memory_order_acquire));
}

}  // namespace tutti::host
