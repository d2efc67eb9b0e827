#include "topology/pci_class.hpp"

#include <algorithm>
#include <array>

namespace tutti {

namespace {

constexpr std::uint16_t nvidia = 0x10de;
constexpr std::uint16_t amd = 0x1002;

/// Chips for a server's console by AMD (ATI): ES1000, Rage XL, RV100.
constexpr std::array<std::uint16_t, 3> console_chips{0x515e, 0x4752, 0x5159};

struct Range {
  std::uint16_t first;
  std::uint16_t last;
  int capability;
};
// PCI ids: pci-ids.ucw.cz, vendor 10de, by chip; capabilities: CUDA C++ programming guide. The first that fits
// counts: data centre chips lie within the numbers of others.
constexpr std::array<Range, 12> nvidia_chips{{
    {0x15f0, 0x15ff, 60},   // GP100
    {0x1d80, 0x1dff, 70},   // GV100
    {0x2080, 0x20ff, 80},   // GA100
    {0x2300, 0x237f, 90},   // GH100, GH200
    {0x2900, 0x297f, 100},  // GB100, GB200
    {0x3180, 0x31ff, 103},  // GB300
    {0x1b00, 0x1d7f, 61},   // GP102 to GP108
    {0x1e00, 0x21ff, 75},   // TU102 to TU117
    {0x2200, 0x25ff, 86},   // GA102 to GA107
    {0x2680, 0x28ff, 89},   // AD102 to AD107
    {0x2b80, 0x2dff, 120},  // GB202 to GB207
    {0x2e00, 0x2eff, 121},  // GB20B
}};

}  // namespace

DeviceKind kind_of(const PciFunction& function) {
  const auto base = function.pci_class >> 16;
  const auto base_and_sub = function.pci_class >> 8;
  if (base == 0x03) {
    if (function.vendor == nvidia) return DeviceKind::gpu;
    const bool console = std::find(console_chips.begin(), console_chips.end(), function.device) != console_chips.end();
    if (function.vendor == amd) return console ? DeviceKind::other : DeviceKind::gpu;
    return base_and_sub == 0x0302 || base_and_sub == 0x0380 ? DeviceKind::gpu : DeviceKind::other;
  }
  if (base == 0x12) return DeviceKind::gpu;
  if (base == 0x02) return DeviceKind::nic;
  if (base_and_sub == 0x0680 && function.vendor == nvidia) return DeviceKind::nv_switch;
  if (base_and_sub == 0x0604) return DeviceKind::pci_switch;
  return DeviceKind::other;
}

std::string_view class_name(std::uint32_t pci_class) {
  switch (pci_class >> 8) {
    case 0x0106:
      return "SATA";
    case 0x0108:
      return "NVMe";
    case 0x0200:
      return "Ethernet";
    case 0x0207:
      return "InfiniBand";
    case 0x0300:
      return "VGA";
    case 0x0302:
      return "3D";
    case 0x0380:
      return "Display";
    default:
      break;
  }
  constexpr std::array<std::string_view, 0x13> bases{
      "Unclassified", "Storage",   "Network",    "Display",           "Multimedia", "Memory",     "Bridge",
      "Serial",       "System",    "Input",      "Docking",           "Processor",  "Serial bus", "Wireless",
      "Intelligent",  "Satellite", "Encryption", "Signal processing", "Accelerator"};
  const auto base = pci_class >> 16;
  return base < bases.size() ? bases[base] : "PCI device";
}

int compute_capability(const PciFunction& function) {
  if (function.vendor != nvidia) return 0;
  for (const Range& chip : nvidia_chips) {
    if (function.device >= chip.first && function.device <= chip.last) return chip.capability;
  }
  return 0;
}

std::string_view gfx_name(const PciFunction& function) {
  if (function.vendor != amd) return {};
  switch (function.device) {
    case 0x66a0:
    case 0x66a1:
      return "906";  // MI50, MI60
    case 0x738c:
    case 0x738e:
      return "908";  // MI100
    case 0x7408:
    case 0x740c:
    case 0x740f:
      return "90a";  // MI250X, MI250, MI210
    case 0x74a0:
    case 0x74a1:
    case 0x74a2:
    case 0x74a5:
    case 0x74a9:
      return "942";  // MI300A, MI300X, MI308X, MI325X
    case 0x75a0:
    case 0x75a3:
      return "950";  // MI350X, MI355X
    default:
      return {};
  }
}

}  // namespace tutti
