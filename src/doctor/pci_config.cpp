#include "doctor/pci_config.hpp"

namespace tutti::doctor {

namespace {

std::uint32_t word_at(std::string_view bytes, std::size_t at, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])) << (8 * i);
  }
  return value;
}

}  // namespace

std::optional<std::uint16_t> acs_control(std::string_view config) {
  std::size_t at = 0x100;
  // A damaged list may go round in circles; there is room for no more than this.
  for (int steps = 0; steps < 960 && at >= 0x100 && at + 8 <= config.size(); ++steps) {
    const std::uint32_t header = word_at(config, at, 4);
    if (header == 0 || header == 0xffffffff) return {};
    if ((header & 0xffff) == 0x000d) return static_cast<std::uint16_t>(word_at(config, at + 6, 2));
    at = (header >> 20) & 0xffc;
  }
  return {};
}

}  // namespace tutti::doctor
