#include "tutti/choose/price_platform.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace tutti::choose {

namespace {
constexpr std::array<std::string_view, gpu_kind_count> gpu_names{"volta",  "turing",    "ampere",        "ada",
                                                                 "hopper", "blackwell", "blackwell_rtx", "cdna3"};
constexpr std::array<std::string_view, inner_link_count> link_names{"NVLink", "PCIe", "PCIe by host memory"};
constexpr std::array<std::string_view, transport_count> transport_names{"InfiniBand", "RoCE", "cloud RoCE", "EFA",
                                                                        "FasTrak"};

/// What names of models have in them, the longer ones first.
constexpr std::pair<std::string_view, GpuKind> models[] = {
    {"gb200", GpuKind::blackwell},
    {"gb300", GpuKind::blackwell},
    {"b200", GpuKind::blackwell},
    {"b300", GpuKind::blackwell},
    {"b100", GpuKind::blackwell},
    {"h100", GpuKind::hopper},
    {"h200", GpuKind::hopper},
    {"h800", GpuKind::hopper},
    {"h20", GpuKind::hopper},
    {"a100", GpuKind::ampere},
    {"a800", GpuKind::ampere},
    {"a30", GpuKind::ampere},
    {"v100", GpuKind::volta},
    {"mi300", GpuKind::cdna3},
    {"mi325", GpuKind::cdna3},
    {"gfx942", GpuKind::cdna3},
    {"rtx50", GpuKind::blackwell_rtx},
    {"rtx 50", GpuKind::blackwell_rtx},
    {"rtx40", GpuKind::ada},
    {"rtx 40", GpuKind::ada},
    {"l40", GpuKind::ada},
    {"l4", GpuKind::ada},
    {"rtx20", GpuKind::turing},
    {"rtx 20", GpuKind::turing},
    {"t4", GpuKind::turing},
    {"rtx30", GpuKind::ada},
    {"rtx 30", GpuKind::ada},
    {"a10", GpuKind::ada},
    {"a40", GpuKind::ada},
};
}  // namespace

std::string_view name(GpuKind kind) noexcept { return gpu_names[static_cast<std::size_t>(kind)]; }
std::string_view name(InnerLink link) noexcept { return link_names[static_cast<std::size_t>(link)]; }
std::string_view name(Transport transport) noexcept { return transport_names[static_cast<std::size_t>(transport)]; }

std::optional<GpuKind> gpu_kind_named(std::string_view model) {
  std::string lower(model);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [part, kind] : models) {
    if (lower.find(part) != std::string::npos) return kind;
  }
  for (std::size_t i = 0; i < gpu_names.size(); ++i) {
    if (lower == gpu_names[i]) return static_cast<GpuKind>(i);
  }
  return std::nullopt;
}

}  // namespace tutti::choose
