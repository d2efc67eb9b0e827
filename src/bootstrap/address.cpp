#include "bootstrap/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "bootstrap/secret.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

SocketAddress copy_of(const sockaddr* address, socklen_t length) {
  SocketAddress copy;
  copy.length = std::min(length, static_cast<socklen_t>(sizeof(copy.storage)));
  std::memcpy(&copy.storage, address, copy.length);
  return copy;
}

socklen_t length_for(int family) { return family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6); }

std::vector<SocketAddress> resolve(const std::string& host, std::uint16_t port, int flags = 0) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    if (next->ai_family != AF_INET && next->ai_family != AF_INET6) continue;
    auto address = copy_of(next->ai_addr, next->ai_addrlen);
    set_port(address, port);
    // A name listed twice in /etc/hosts comes twice.
    const bool again = std::any_of(addresses.begin(), addresses.end(), [&](const SocketAddress& other) {
      return other.length == address.length && std::memcmp(&other.storage, &address.storage, address.length) == 0;
    });
    if (!again) addresses.push_back(address);
  }
  return addresses;
}

bool is_loopback(const SocketAddress& address) {
  if (address.family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr);
}

bool is_link_local(const SocketAddress& address) {
  return address.family() == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr);
}

struct Interface {
  std::string name;
  bool up = false;
  SocketAddress address;
};

std::vector<Interface> interfaces() {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(found, ::freeifaddrs);
  std::vector<Interface> all;
  for (const ifaddrs* next = found; next != nullptr; next = next->ifa_next) {
    if (next->ifa_addr == nullptr) continue;
    const int family = next->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    all.push_back({next->ifa_name, (next->ifa_flags & IFF_UP) != 0, copy_of(next->ifa_addr, length_for(family))});
  }
  return all;
}

SocketAddress path_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    throw Error(Code::invalid_argument,
                fmt::format("the path of a unix socket has at most {} bytes: \"{}\"", sizeof(address.sun_path) - 1,
                            printable(path)),
                {.remedy = "use a shorter path, or a name without '/'"});
  }
  path.copy(address.sun_path, path.size());
  return copy_of(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

}  // namespace

SocketAddress abstract_address(std::string_view name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::string full = fmt::format("tutti.{}.{}", ::geteuid(), name);
  if (full.size() >= sizeof(address.sun_path)) {
    full = fmt::format("tutti.{}.{}.{}", ::geteuid(), name.substr(0, 32), digest_name(name));
  }
  full.copy(address.sun_path + 1, full.size());  // the zero byte before it makes it abstract
  const auto length = offsetof(sockaddr_un, sun_path) + 1 + full.size();
  return copy_of(reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(length));
}

std::vector<SocketAddress> addresses_of(const Endpoint& endpoint) {
  if (endpoint.kind == Endpoint::Kind::tcp) return resolve(endpoint.host, endpoint.port);
  if (endpoint.name.starts_with('/')) return {path_address(endpoint.name)};
  return {abstract_address(endpoint.name)};
}

std::vector<SocketAddress> listening_addresses(const std::string& listen, std::uint16_t port) {
  if (listen == "*") {
    auto addresses = resolve("::", port, AI_NUMERICHOST);
    const auto v4 = resolve("0.0.0.0", port, AI_NUMERICHOST);
    addresses.insert(addresses.end(), v4.begin(), v4.end());
    return addresses;
  }
  std::vector<SocketAddress> addresses;
  for (const Interface& interface : interfaces()) {
    if (interface.name != listen || is_link_local(interface.address)) continue;
    addresses.push_back(interface.address);
    set_port(addresses.back(), port);
  }
  return addresses.empty() ? resolve(listen, port) : addresses;
}

std::vector<std::string> addresses_of_this_host() {
  std::vector<std::string> names;
  for (const Interface& interface : interfaces()) {
    const SocketAddress& address = interface.address;
    if (!interface.up || is_loopback(address) || is_link_local(address)) continue;
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(address.raw(), address.length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      names.emplace_back(text.data());
    }
  }
  return names;
}

bool hides_behind_loopback(const std::string& host) {
  if (host == "localhost" || !resolve(host, 0, AI_NUMERICHOST).empty()) return false;
  const auto addresses = resolve(host, 0);
  return !addresses.empty() && std::all_of(addresses.begin(), addresses.end(), is_loopback);
}

std::uint16_t port_of(int socket) {
  SocketAddress address;
  address.length = sizeof(address.storage);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) return 0;
  if (address.family() == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port);
  if (address.family() == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&address.storage)->sin6_port);
  return 0;
}

void set_port(SocketAddress& address, std::uint16_t port) {
  if (address.family() == AF_INET) reinterpret_cast<sockaddr_in*>(&address.storage)->sin_port = htons(port);
  if (address.family() == AF_INET6) reinterpret_cast<sockaddr_in6*>(&address.storage)->sin6_port = htons(port);
}

}  // namespace tutti
