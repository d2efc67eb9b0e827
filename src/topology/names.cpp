/// @file  The names of kinds and classes, both ways.
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "tutti/topology/device.hpp"
#include "tutti/topology/path.hpp"

namespace tutti {

namespace {

constexpr std::array<std::string_view, 8> device_kinds{"cpu",      "host_bridge", "switch",         "gpu",
                                                       "nvswitch", "nic",         "network_switch", "other"};
constexpr std::array<std::string_view, 8> link_kinds{"pci", "socket", "nvlink", "xgmi",
                                                     "c2c", "local",  "peer",   "network"};
constexpr std::array<std::string_view, 11> path_classes{"X",   "NV",   "XGMI", "C2C", "PIX", "PXB",
                                                        "PHB", "NODE", "SYS",  "NET", "-"};

template <class Enum, std::size_t n>
std::string_view name_in(const std::array<std::string_view, n>& names, Enum value) noexcept {
  const auto at = static_cast<std::size_t>(value);
  return at < n ? names[at] : "?";
}

template <class Enum, std::size_t n>
std::optional<Enum> value_in(const std::array<std::string_view, n>& names, std::string_view name) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return {};
}

}  // namespace

std::string_view name(DeviceKind kind) noexcept { return name_in(device_kinds, kind); }
std::string_view name(LinkKind kind) noexcept { return name_in(link_kinds, kind); }
std::string_view name(PathClass path) noexcept { return name_in(path_classes, path); }

std::optional<DeviceKind> device_kind_named(std::string_view name) noexcept {
  return value_in<DeviceKind>(device_kinds, name);
}
std::optional<LinkKind> link_kind_named(std::string_view name) noexcept { return value_in<LinkKind>(link_kinds, name); }

std::optional<PathClass> path_class_named(std::string_view name) noexcept {
  if (name == "SOC") return PathClass::sys;
  if (name.size() > 2 && name.starts_with("NV") &&
      name.substr(2).find_first_not_of("0123456789") == std::string_view::npos) {
    return PathClass::nvlink;
  }
  return value_in<PathClass>(path_classes, name);
}

}  // namespace tutti
