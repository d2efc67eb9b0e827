/// @file  From the names people write to socket addresses: host names, interfaces, unix sockets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/socket.hpp"
#include "tutti/bootstrap/endpoint.hpp"

namespace tutti {

/// The addresses of an endpoint, in the order to try them. Empty when a host name is not known (now). Looking
/// up a name can take as long as the system's resolver takes.
std::vector<SocketAddress> addresses_of(const Endpoint& endpoint);

/// The addresses to listen on for a TCP endpoint: those of `listen`, an address, a host name, an interface or
/// "*" for all.
std::vector<SocketAddress> listening_addresses(const std::string& listen, std::uint16_t port);

/// The numeric addresses of this machine's running interfaces, loopback and link-local ones left out: how
/// other hosts can reach it.
std::vector<std::string> addresses_of_this_host();

/// True when every address that the name has on this machine is a loopback one, as Debian's /etc/hosts likes
/// it, though the name does not say so as "localhost" or "127.0.0.1" would.
bool hides_behind_loopback(const std::string& host);

/// The address of an abstract name of this process's user, as it is for descriptor and store sockets.
SocketAddress abstract_address(std::string_view name);

/// The port of a bound TCP socket.
std::uint16_t port_of(int socket);
void set_port(SocketAddress& address, std::uint16_t port);

}  // namespace tutti
