/// @file  The part of PCI configuration space that says whether a bridge sends peer traffic upwards (ACS).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::doctor {

/// The Access Control Services control register of a function; nothing when it has none. `config` is all 4096 bytes.
/// PCI Express Base Specification: extended capabilities begin at 0x100, that of ACS is 0x000d, its control at +6.
std::optional<std::uint16_t> acs_control(std::string_view config);

/// Bits that make a bridge send requests of one peer to another up to the root: request and completion redirect,
/// upstream forwarding.
inline constexpr std::uint16_t acs_redirects = 0x04 | 0x08 | 0x10;

}  // namespace tutti::doctor
