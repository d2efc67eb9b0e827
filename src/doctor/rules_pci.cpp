/// @file  PCIe: width and speed of links, ACS, IOMMU, GPUDirect RDMA.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "doctor/pci_config.hpp"
#include "doctor/rule.hpp"
#include "doctor/view.hpp"
#include "settings/value.hpp"
#include "settings/version.hpp"

namespace tutti::doctor {

namespace {

/// GPUs and network adapters: whose links matter.
bool matters(const Snapshot& snapshot, const std::string& id, const std::vector<std::string>& gpus) {
  if (std::find(gpus.begin(), gpus.end(), id) != gpus.end()) return true;
  return pci(snapshot, id, "class").starts_with("0x0207") ||
         (pci(snapshot, id, "class").starts_with("0x02") && pci(snapshot, id, "vendor") == "0x15b3");
}

/// "16.0 GT/s PCIe" → 16; 0 when it is not known.
double number_at_start(const std::string& text) { return std::atof(text.c_str()); }

/// What both ends of the link could do: that of the device, and of the port above where it is known.
double possible(const Snapshot& snapshot, const std::string& id, const char* file) {
  const double own = number_at_start(pci(snapshot, id, file));
  const auto parent = snapshot.facts.find("parent/" + id);
  const double above = parent == snapshot.facts.end() ? 0 : number_at_start(pci(snapshot, parent->second, file));
  return above > 0 && above < own ? above : own;
}

void look_at_links(const Snapshot& snapshot, const std::vector<std::string>& gpus, Report& report) {
  for (const std::string& id : snapshot.names("sys/bus/pci/devices")) {
    if (!matters(snapshot, id, gpus)) continue;
    const double width = number_at_start(pci(snapshot, id, "current_link_width"));
    const double wide = possible(snapshot, id, "max_link_width");
    // 255 and 63 stand for "not known".
    if (width > 0 && wide > width && wide <= 32) {
      report.found("pcie-narrow", id, fmt::format("x{:.0f}, x{:.0f} is possible", width, wide));
    }
    const double speed = number_at_start(pci(snapshot, id, "current_link_speed"));
    const double fast = possible(snapshot, id, "max_link_speed");
    if (speed > 0 && fast > speed) {
      Finding& finding = report.found("pcie-slow", id, fmt::format("{} GT/s, {} GT/s is possible", speed, fast));
      // GPUs that do nothing slow their link down; adapters do not.
      if (std::find(gpus.begin(), gpus.end(), id) != gpus.end()) finding.severity = Severity::note;
    }
  }
}

void look_at_bridges(const Snapshot& snapshot, Report& report) {
  std::vector<std::string> redirecting;
  std::size_t unreadable = 0;
  for (const auto& [fact, value] : snapshot.facts) {
    if (!fact.starts_with("acs/")) continue;
    if (value == "unreadable") ++unreadable;
    const long control = settings::whole_number(value).value_or(0);
    if ((control & acs_redirects) != 0) redirecting.push_back(fact.substr(4));
  }
  if (!redirecting.empty()) {
    report.found("acs-on", fmt::format("{} bridges", redirecting.size()),
                 fmt::format("{}", fmt::join(redirecting, ", ")));
  }
  if (unreadable > 0)
    report.found("acs-unreadable", fmt::format("{} bridges", unreadable), "64 bytes of config space were given");
}

void look_at_iommu(const Snapshot& snapshot, Report& report) {
  std::size_t translating = 0;
  for (const std::string& group : snapshot.names("sys/kernel/iommu_groups")) {
    translating += snapshot.text("sys/kernel/iommu_groups/" + group + "/type").value_or("").starts_with("DMA") ? 1 : 0;
  }
  if (translating > 0)
    report.found("iommu-translates", fmt::format("{} IOMMU groups", translating), "their type is DMA, not identity");
}

}  // namespace

void look_at_pci(const Snapshot& snapshot, Report& report) {
  const auto gpus = gpu_ids(snapshot);
  look_at_links(snapshot, gpus, report);
  // What bridges and the IOMMU do matters to traffic between GPUs and adapters only.
  if (gpus.empty()) return;
  look_at_bridges(snapshot, report);
  look_at_iommu(snapshot, report);
}

void look_at_gpudirect(const Snapshot& snapshot, Report& report) {
  const auto driver = snapshot.text("proc/driver/nvidia/version");
  if (!driver || snapshot.names("sys/class/infiniband").empty()) return;
  bool peer = false;
  bool old = false;
  for (const auto line : lines_of(snapshot.text("proc/modules").value_or(""))) {
    peer = peer || line.starts_with("nvidia_peermem ");
    old = old || line.starts_with("nv_peer_mem ");
  }
  if (old) report.found("gdr-old-module", "nv_peer_mem", "/proc/modules lists it");
  const std::string release(snapshot.text("proc/sys/kernel/osrelease").value_or(""));
  const auto kernel = settings::parse_version(release.substr(0, release.find_first_not_of("0123456789.")));
  const bool open = driver->find("Open Kernel Module") != std::string_view::npos;
  const bool dma_buf = open && kernel && *kernel >= settings::Version{5, 12, 0};
  if (peer || old || dma_buf) return;
  report.found("gdr-no-way", "GPUDirect RDMA",
               fmt::format("nvidia_peermem is not loaded, the driver's modules are {}, Linux {}",
                           open ? "open" : "closed", release));
}

}  // namespace tutti::doctor
