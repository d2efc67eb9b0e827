#include "topology/pci_id.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tutti {

namespace {

std::optional<std::uint32_t> hex(std::string_view text, std::size_t most_digits) {
  std::uint32_t value = 0;
  if (text.empty() || text.size() > most_digits) return {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::optional<std::uint64_t> pci_number(std::string_view text) {
  const auto dot = text.find('.');
  const auto function = dot == std::string_view::npos ? std::optional<std::uint32_t>{0} : hex(text.substr(dot + 1), 1);
  text = text.substr(0, dot);
  const auto last = text.rfind(':');
  if (last == std::string_view::npos) return {};
  const auto device = hex(text.substr(last + 1), 2);
  text = text.substr(0, last);
  const auto colon = text.find(':');
  const auto domain = colon == std::string_view::npos ? std::optional<std::uint32_t>{0} : hex(text.substr(0, colon), 8);
  const auto bus = hex(colon == std::string_view::npos ? text : text.substr(colon + 1), 2);
  if (!domain || !bus || !device || !function) return {};
  return std::uint64_t{*domain} << 20 | std::uint64_t{*bus} << 12 | std::uint64_t{*device} << 4 | *function;
}

std::string normal_pci(std::string_view text) {
  if (const auto number = pci_number(text)) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", *number >> 20, *number >> 12 & 0xff, *number >> 4 & 0xff,
                       *number & 0xf);
  }
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace tutti
