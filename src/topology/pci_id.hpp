/// @file  PCI bus ids in all spellings, brought to one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// domain << 20 | bus << 12 | device << 4 | function, for "1b:00.0", "0000:1B:00.0", "00000000:1b:00.0",
/// "1b:00" (function 0). Nothing when it is no bus id.
std::optional<std::uint64_t> pci_number(std::string_view text);

/// Lower case with a domain of at least four digits: "0000:1b:00.0"; the text itself, in lower case, when
/// it is no bus id.
std::string normal_pci(std::string_view text);

}  // namespace tutti
