/// @file  What a source said about a device beyond its fields, asked for by name.
#pragma once

#include <string_view>

#include "tutti/topology/device.hpp"

namespace tutti {

/// Empty when it said nothing. Lives as long as the device.
inline std::string_view attribute(const Device& device, std::string_view key) {
  const auto at = device.attributes.find(key);
  return at == device.attributes.end() ? std::string_view{} : std::string_view(at->second);
}

}  // namespace tutti
