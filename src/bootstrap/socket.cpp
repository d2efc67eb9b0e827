#include "bootstrap/socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "tutti/base/error.hpp"

namespace tutti {

namespace {

UniqueFd new_socket(int family) {
  UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket && errno != EAFNOSUPPORT) throw_errno(Code::resource, "making a socket", "see ulimit -n");
  return socket;
}

void set_option(int socket, int level, int option) {
  const int on = 1;
  ::setsockopt(socket, level, option, &on, sizeof(on));  // a wish; nothing depends on it
}

void without_delay(int socket, int family) {
  if (family != AF_UNIX) set_option(socket, IPPROTO_TCP, TCP_NODELAY);
}

}  // namespace

SocketAttempt listen_at(const SocketAddress& address) {
  UniqueFd socket = new_socket(address.family());
  if (!socket) return {{}, EAFNOSUPPORT};
  if (address.family() != AF_UNIX) set_option(socket.fd(), SOL_SOCKET, SO_REUSEADDR);
  if (address.family() == AF_INET6) set_option(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY);
  if (::bind(socket.fd(), address.raw(), address.length) != 0) return {{}, errno};
  if (::listen(socket.fd(), SOMAXCONN) != 0) return {{}, errno};
  return {std::move(socket), 0};
}

SocketAttempt connect_to(const SocketAddress& address, Store::Deadline deadline) {
  UniqueFd socket = new_socket(address.family());
  if (!socket) return {{}, EAFNOSUPPORT};
  without_delay(socket.fd(), address.family());
  if (::connect(socket.fd(), address.raw(), address.length) != 0) {
    // A unix socket with a full queue says EAGAIN and is not connecting: the caller tries again.
    if (errno != EINPROGRESS) return {{}, errno};
    if (!ready(socket.fd(), POLLOUT, deadline)) return {{}, ETIMEDOUT};
    int error = 0;
    socklen_t length = sizeof(error);
    ::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return {{}, error};
  }
  return {std::move(socket), 0};
}

SocketAttempt accept_from(int listener) {
  for (;;) {
    sockaddr_storage from{};
    socklen_t length = sizeof(from);
    UniqueFd socket(::accept4(listener, reinterpret_cast<sockaddr*>(&from), &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      without_delay(socket.fd(), from.ss_family);
      return {std::move(socket), 0};
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) return {{}, errno};
    // Otherwise somebody came and has gone already, or nobody is there.
    if (errno == EAGAIN || errno == EBADF || errno == EINVAL) return {};
  }
}

int milliseconds_until(Store::Deadline deadline) {
  const auto now = std::chrono::steady_clock::now();
  if (deadline <= now) return 0;
  if (deadline - now > std::chrono::hours(1)) return 3'600'000;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count());
}

bool ready(int fd, short events, Store::Deadline deadline) {
  for (;;) {
    pollfd waiting{fd, events, 0};
    const int timeout = milliseconds_until(deadline);
    const int count = ::poll(&waiting, 1, timeout);
    if (count > 0) return true;  // an error or a hang-up too: the transfer will find out
    if (count < 0 && errno != EINTR) throw_errno(Code::network, "poll");
    if (count == 0 && timeout == 0) return false;
  }
}

SocketResult send_all(int socket, ByteSpan bytes, Store::Deadline deadline) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!ready(socket, POLLOUT, deadline)) return SocketResult::timeout;
    } else if (errno != EINTR) {
      return SocketResult::closed;
    }
  }
  return SocketResult::done;
}

SocketResult receive_all(int socket, std::span<std::byte> bytes, Store::Deadline deadline) {
  while (!bytes.empty()) {
    const auto received = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (received > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(received));
    } else if (received < 0 && errno == EAGAIN) {
      if (!ready(socket, POLLIN, deadline)) return SocketResult::timeout;
    } else if (received == 0 || errno != EINTR) {
      return SocketResult::closed;
    }
  }
  return SocketResult::done;
}

std::optional<uid_t> peer_user(int unix_socket) {
  ucred credentials{};
  socklen_t length = sizeof(credentials);
  if (::getsockopt(unix_socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return std::nullopt;
  return credentials.uid;
}

}  // namespace tutti
