#include "bootstrap/listening.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "bootstrap/address.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

SocketFile::~SocketFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

namespace {

[[noreturn]] void fail(const Endpoint& endpoint, const std::string& listen, int error) {
  const std::string place = listen.empty() ? to_string(endpoint) : fmt::format("{} on {}", to_string(endpoint), listen);
  const std::string cause = error == 0 ? "the host is not known" : std::system_category().message(error);
  Context context;
  context.operation = "listening at " + place;
  if (error == EADDRINUSE) {
    context.remedy = "choose another port or name, or wait until the other process has ended";
    throw Error(Code::resource, cause, context);
  }
  context.remedy =
      "rank 0 must run on that host; or set TUTTI_LISTEN to an address or interface of rank 0, \"*\" for all "
      "of them";
  throw Error(Code::bootstrap, cause, context);
}

// A socket file that a killed process left behind: ours, and nobody answers.
bool remove_stale(const std::string& path, const SocketAddress& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return errno == ENOENT;
  if (!S_ISSOCK(status.st_mode) || status.st_uid != ::geteuid()) return false;
  const auto attempt = connect_to(address, std::chrono::steady_clock::now());
  return attempt.error == ECONNREFUSED && ::unlink(path.c_str()) == 0;
}

Listening listen_unix(const Endpoint& endpoint) {
  const auto address = addresses_of(endpoint).front();
  const bool is_file = endpoint.name.starts_with('/');
  auto attempt = listen_at(address);
  if (attempt.error == EADDRINUSE && is_file && remove_stale(endpoint.name, address)) attempt = listen_at(address);
  if (!attempt.socket) fail(endpoint, {}, attempt.error);
  Listening listening;
  listening.endpoint = endpoint;
  if (is_file) {
    listening.file = SocketFile(endpoint.name);
    ::chmod(endpoint.name.c_str(), 0600);
  }
  listening.sockets.push_back(std::move(attempt.socket));
  return listening;
}

}  // namespace

Listening open_listening(const Endpoint& endpoint, const std::string& listen) {
  if (endpoint.kind == Endpoint::Kind::unix_socket) return listen_unix(endpoint);
  Listening listening;
  listening.endpoint = endpoint;
  int error = 0;
  for (auto& address : listening_addresses(listen.empty() ? endpoint.host : listen, endpoint.port)) {
    set_port(address, listening.endpoint.port);
    auto attempt = listen_at(address);
    if (attempt.socket) {
      if (listening.endpoint.port == 0) listening.endpoint.port = port_of(attempt.socket.fd());
      listening.sockets.push_back(std::move(attempt.socket));
    } else if (attempt.error == EADDRINUSE) {
      fail(endpoint, listen, EADDRINUSE);  // half of the addresses would lead some ranks to a stranger
    } else {
      error = attempt.error;
    }
  }
  if (listening.sockets.empty()) fail(endpoint, listen, error);
  return listening;
}

}  // namespace tutti
