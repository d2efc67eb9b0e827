/// @file  Destination: where a process lets its metrics be read, as Config::metrics says.
#pragma once

#include <string>
#include <string_view>

namespace tutti::metrics {

struct Destination {
  std::string address{};  ///< numeric, IPv4 or IPv6; empty: no HTTP
  int port = 0;           ///< of the host's first rank; 0: any free one for each process
  std::string folder{};   ///< for text files; empty: none
};

/// "9400" (loopback), "0.0.0.0:9400", "[::1]:9400", "http://127.0.0.1:9400", "file:/some/folder", or one of each with a
/// comma between; "" is nowhere. Throws Error(invalid_argument) that begins with `what`, which names where it is from.
Destination parse_destination(std::string_view text, std::string_view what);

}  // namespace tutti::metrics
