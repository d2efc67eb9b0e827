#include "run/metrics/destination.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "tutti/base/error.hpp"

namespace tutti::metrics {

namespace {

constexpr const char* destination_remedy =
    "use a port (9400: this machine only), ADDRESS:PORT (0.0.0.0:9400: anybody), file:FOLDER, or one of each with a "
    "comma";

std::optional<int> port_of(std::string_view text) {
  int port = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) return {};
  return port;
}

bool is_numeric_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

}  // namespace

Destination parse_destination(std::string_view text, std::string_view what) {
  const auto refuse = [&](std::string_view part, const std::string& why) {
    throw Error(Code::invalid_argument, fmt::format("{} \"{}\": \"{}\" {}", what, text, part, why),
                {.remedy = destination_remedy});
  };
  Destination destination;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (part.starts_with("file:")) {
      if (!destination.folder.empty()) refuse(part, "is a second folder");
      destination.folder = part.substr(5);
      if (destination.folder.empty()) refuse(part, "names no folder");
      continue;
    }
    std::string_view place = part;
    if (place.starts_with("http://")) place.remove_prefix(7);
    if (place.ends_with("/metrics")) place.remove_suffix(8);
    if (place.ends_with("/")) place.remove_suffix(1);
    if (!destination.address.empty()) refuse(part, "is a second address");
    const std::size_t colon = place.rfind(':');
    const auto port = port_of(colon == std::string_view::npos ? place : place.substr(colon + 1));
    if (!port) refuse(part, "has no port from 0 to 65535");
    std::string address(colon == std::string_view::npos ? "127.0.0.1" : place.substr(0, colon));
    if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
    if (address == "localhost") address = "127.0.0.1";
    if (!is_numeric_address(address)) refuse(part, "has no numeric address");
    destination.address = address;
    destination.port = *port;
  }
  return destination;
}

}  // namespace tutti::metrics
