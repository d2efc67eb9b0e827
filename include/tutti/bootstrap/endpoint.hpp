/// @file  Endpoint: where a store is served, "tcp://host:port" or "unix:name".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti {

/// The address of a store server.
struct Endpoint {
  enum class Kind { tcp, unix_socket };
  Kind kind = Kind::tcp;
  std::string host;        ///< tcp: a name or a numeric address, IPv4 or IPv6 without brackets
  std::uint16_t port = 0;  ///< tcp: 0 asks a server for any free port
  std::string name;        ///< unix: a path when it begins with '/', else an abstract name of this user (see below)

  bool operator==(const Endpoint&) const = default;
};

/// Reads "tcp://host:port", "tcp://[::1]:port" or "unix:name". `what` names the source in errors
/// ("TUTTI_STORE"). Throws Error(invalid_argument).
Endpoint endpoint_from(std::string_view text, std::string_view what = "endpoint");

/// The text that `endpoint_from` reads.
std::string to_string(const Endpoint& endpoint);

/// An abstract name is held by the kernel, not by the file system: nothing is left behind, and it is found
/// only on the same host and network namespace. The user's id is put before it, and both sides check that the
/// other runs as the same user.
Endpoint unix_endpoint(std::string name);
Endpoint tcp_endpoint(std::string host, std::uint16_t port);

}  // namespace tutti
