#include "tutti/bootstrap/endpoint.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "bootstrap/bytes.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

Endpoint tcp_endpoint(std::string host, std::uint16_t port) { return {Endpoint::Kind::tcp, std::move(host), port, {}}; }

Endpoint unix_endpoint(std::string name) { return {Endpoint::Kind::unix_socket, {}, 0, std::move(name)}; }

Endpoint endpoint_from(std::string_view text, std::string_view what) {
  const auto fail = [&](const char* why) -> Error {
    return Error(Code::invalid_argument, fmt::format("{}=\"{}\": {}", what, printable(text), why),
                 {.remedy = "write tcp://host:port, tcp://[IPv6 address]:port or unix:name"});
  };
  if (text.starts_with("unix:")) {
    const auto name = text.substr(5);
    if (name.empty()) throw fail("the name is empty");
    if (name.find('\0') != std::string_view::npos) throw fail("a name holds no zero bytes");
    return unix_endpoint(std::string(name));
  }
  if (!text.starts_with("tcp://")) throw fail("it begins neither with tcp:// nor with unix:");
  auto rest = text.substr(6);
  std::string_view host;
  if (rest.starts_with('[')) {
    const auto close = rest.find("]:");
    if (close == std::string_view::npos) throw fail("no \"]:\" ends the IPv6 address");
    host = rest.substr(1, close - 1);
    rest = rest.substr(close + 2);
  } else {
    const auto colon = rest.find(':');
    if (colon == std::string_view::npos) throw fail("the port is missing");
    host = rest.substr(0, colon);
    rest = rest.substr(colon + 1);
  }
  if (host.empty()) throw fail("the host is missing");
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
  if (error != std::errc{} || end != rest.data() + rest.size() || port == 0) {
    throw fail("the port is not a number from 1 to 65535");
  }
  return tcp_endpoint(std::string(host), port);
}

std::string to_string(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::unix_socket) return "unix:" + endpoint.name;
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return fmt::format("tcp://{}{}{}:{}", v6 ? "[" : "", endpoint.host, v6 ? "]" : "", endpoint.port);
}

}  // namespace tutti
