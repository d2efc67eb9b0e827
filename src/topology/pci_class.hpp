/// @file  What a PCI function is, from its class code and ids alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "tutti/topology/device.hpp"

namespace tutti {

struct PciFunction {
  std::uint32_t pci_class = 0;  ///< three bytes, 0x030200
  std::uint16_t vendor = 0;
  std::uint16_t device = 0;
};

/// GPU, NIC, NVSwitch, switch (a bridge), or other. Graphics of management controllers and of processors are other.
DeviceKind kind_of(const PciFunction& function);

/// For people: "Storage", "Ethernet", "InfiniBand", "Display", … by base and sub class.
std::string_view class_name(std::uint32_t pci_class);

/// Compute capability times ten (80, 90) of an NVIDIA GPU; 0 for everything else, and for what is too new to be
/// in the table.
int compute_capability(const PciFunction& function);

/// Without "gfx": "90a", "942"; empty for everything else.
std::string_view gfx_name(const PciFunction& function);

}  // namespace tutti
