/// @file  Sockets: non-blocking, closed on exec, never a SIGPIPE, and every wait with a deadline.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "bootstrap/bytes.hpp"
#include "tutti/base/unique_fd.hpp"
#include "tutti/bootstrap/store.hpp"

namespace tutti {

/// Where a socket listens or connects to.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  int family() const { return storage.ss_family; }
  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// A connected or listening socket, or why there is none: an errno.
struct SocketAttempt {
  UniqueFd socket;
  int error = 0;
};

/// Listens; `error` is EADDRINUSE, EADDRNOTAVAIL, … when that fails.
SocketAttempt listen_at(const SocketAddress& address);

/// Connects by the deadline; `error` is ECONNREFUSED, ETIMEDOUT, … when that fails.
SocketAttempt connect_to(const SocketAddress& address, Store::Deadline deadline);

/// The next connection; empty when there is none now. `error` is set when the system has no descriptors left
/// (EMFILE).
SocketAttempt accept_from(int listener);

enum class SocketResult { done, closed, timeout };

/// Sends or receives all of it, unless the other side hangs up or the deadline passes first.
SocketResult send_all(int socket, ByteSpan bytes, Store::Deadline deadline);
SocketResult receive_all(int socket, std::span<std::byte> bytes, Store::Deadline deadline);

/// Whether `events` (POLLIN, POLLOUT) come to `fd` by the deadline.
bool ready(int fd, short events, Store::Deadline deadline);

/// Milliseconds until the deadline, rounded up: for poll and epoll_wait. 0 when it has passed, at most an
/// hour.
int milliseconds_until(Store::Deadline deadline);

/// The user on the other side of a unix socket; nothing when the kernel does not say.
std::optional<uid_t> peer_user(int unix_socket);

}  // namespace tutti
