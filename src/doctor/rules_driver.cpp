/// @file  Driver, CUDA toolkit and NCCL: do they fit one another?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "doctor/rule.hpp"
#include "doctor/view.hpp"
#include "settings/version.hpp"

namespace tutti::doctor {

namespace {

using settings::parse_version;
using settings::Version;

/// The driver that came with each toolkit: NVIDIA's release notes of the CUDA Toolkit, Linux.
struct ToolkitDriver {
  Version toolkit;
  Version driver;
};
constexpr ToolkitDriver toolkit_drivers[] = {
    {{11, 0, 0}, {450, 36, 6}}, {{11, 1, 0}, {455, 23, 5}},  {{11, 2, 0}, {460, 27, 3}}, {{11, 3, 0}, {465, 19, 1}},
    {{11, 4, 0}, {470, 42, 1}}, {{11, 5, 0}, {495, 29, 5}},  {{11, 6, 0}, {510, 39, 1}}, {{11, 7, 0}, {515, 43, 4}},
    {{11, 8, 0}, {520, 61, 5}}, {{12, 0, 0}, {525, 60, 13}}, {{12, 1, 0}, {530, 30, 2}}, {{12, 2, 0}, {535, 54, 3}},
    {{12, 3, 0}, {545, 23, 6}}, {{12, 4, 0}, {550, 54, 14}}, {{12, 5, 0}, {555, 42, 2}}, {{12, 6, 0}, {560, 28, 3}},
    {{12, 8, 0}, {570, 26, 0}}, {{12, 9, 0}, {575, 51, 3}},  {{13, 0, 0}, {580, 65, 6}}, {{13, 1, 0}, {590, 44, 1}},
    {{13, 1, 1}, {590, 48, 1}},
};

/// The oldest that runs any program of a major version: NVIDIA's guide to CUDA compatibility.
constexpr ToolkitDriver least_drivers[] = {
    {{11, 0, 0}, {450, 80, 2}}, {{12, 0, 0}, {525, 60, 13}}, {{13, 0, 0}, {580, 65, 6}}};

/// Releases of NCCL that were replaced for a fault.
struct BadNccl {
  Version version;
  const char* fault;
  const char* instead;
};
constexpr BadNccl bad_nccl[] = {
    {{2, 29, 2}, "hangs that 2.28 had not (pytorch/pytorch#174338)", "2.29.3 or newer"},
    {{2, 19, 4}, "slower than those before and after (awslabs/awsome-distributed-ai#217)", "2.20.3 or newer"},
    {{2, 19, 3}, "crashes with NVLS and dual-port adapters (NVIDIA/nccl#1043)", "2.20.3 or newer"},
    {{2, 18, 5}, "crashes with NVLS and dual-port adapters (NVIDIA/nccl#1043)", "2.20.3 or newer"},
};

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat …" → its text form.
std::string driver_text(const Snapshot& snapshot) {
  const auto text = snapshot.text("proc/driver/nvidia/version").value_or("");
  const auto line = text.substr(0, text.find('\n'));
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find_first_of(" \t", at), line.size());
    const auto word = line.substr(at, end - at);
    if (word.find('.') != std::string_view::npos && parse_version(word)) return std::string(word);
    at = line.find_first_not_of(" \t", end);
  }
  return {};
}

/// 535.104.05: three parts, the last with a zero in front.
std::string driver_name(Version version) {
  return version.patch == 0 ? fmt::format("{}.{}", version.major, version.minor)
                            : fmt::format("{}.{}.{:02}", version.major, version.minor, version.patch);
}

std::optional<Version> toolkit(const Snapshot& snapshot) {
  const auto text = snapshot.text("usr/local/cuda/version.json");
  if (!text) return {};
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("cuda") || !json["cuda"].is_object()) return {};
  const auto version = json["cuda"].value("version", nlohmann::json());
  return version.is_string() ? parse_version(version.get<std::string>()) : std::nullopt;
}

void look_at_toolkit(Version driver, Version cuda, Report& report) {
  for (const ToolkitDriver& least : least_drivers) {
    if (least.toolkit.major != cuda.major || driver >= least.driver) continue;
    report.found("driver-too-old", driver_name(driver),
                 fmt::format("CUDA {} needs {} or newer", format(cuda), driver_name(least.driver)));
    return;
  }
  const ToolkitDriver* own = nullptr;
  for (const ToolkitDriver& each : toolkit_drivers) {
    if (each.toolkit.major == cuda.major && each.toolkit <= cuda) own = &each;
  }
  if (own != nullptr && driver < own->driver) {
    report.found("driver-older-than-toolkit", driver_name(driver),
                 fmt::format("CUDA {} came with {}", format(cuda), driver_name(own->driver)));
  }
}

/// "libnccl.so.2.23.4" → 2.23.4; nothing for links like libnccl.so.2.
std::optional<Version> nccl_of(std::string_view name) {
  if (!name.starts_with("libnccl.so.")) return {};
  const auto text = name.substr(11);
  if (std::count(text.begin(), text.end(), '.') != 2) return {};
  return parse_version(text);
}

void look_at_nccl(const Snapshot& snapshot, Report& report) {
  std::set<Version> versions;
  std::vector<std::string> places;
  for (const auto& [folder, names] : snapshot.folders) {
    for (const std::string& name : names) {
      if (const auto version = nccl_of(name)) {
        versions.insert(*version);
        places.push_back(fmt::format("{}/{}", folder, name));
      }
    }
  }
  for (const Version version : versions) {
    if (version < Version{2, 9, 9})
      report.found("nccl-too-old", "NCCL " + format(version), fmt::format("{}", fmt::join(places, ", ")));
    for (const BadNccl& bad : bad_nccl) {
      if (bad.version != version) continue;
      Finding& finding = report.found("nccl-known-bad", "NCCL " + format(version), bad.fault);
      finding.remedy = fmt::format("install NCCL {}", bad.instead);
    }
  }
  if (versions.size() > 1) report.found("nccl-several", "NCCL", fmt::format("{}", fmt::join(places, ", ")));
  for (const auto& [fact, text] : snapshot.facts) {
    if (!fact.starts_with("libraries/")) continue;
    std::vector<std::string_view> loaded;
    for (const auto line : lines_of(text)) {
      if (line.find("/libnccl.so") != std::string_view::npos) loaded.push_back(line);
    }
    if (loaded.size() > 1)
      report.found("nccl-twice-in-process", "process " + fact.substr(10), fmt::format("{}", fmt::join(loaded, ", ")));
  }
}

}  // namespace

void look_at_driver(const Snapshot& snapshot, Report& report) {
  const auto gpus = gpu_ids(snapshot);
  const std::string driver = driver_text(snapshot);
  if (gpus.empty() && driver.empty())
    report.found("no-gpu", "GPU", "no PCI device of NVIDIA's is a GPU, and no driver is loaded");
  if (!gpus.empty() && driver.empty()) {
    report.found("gpu-without-driver", fmt::format("{} GPUs", gpus.size()),
                 fmt::format("{}; /proc/driver/nvidia/version is missing", fmt::join(gpus, ", ")));
  }
  look_at_nccl(snapshot, report);
  const auto version = parse_version(driver);
  if (!version) return;
  if (const auto cuda = toolkit(snapshot)) look_at_toolkit(*version, *cuda, report);
  for (const auto& [folder, names] : snapshot.folders) {
    for (const std::string& name : names) {
      if (!name.starts_with("libnvidia-ml.so.") || name.find('.', 16) == std::string::npos) continue;
      if (name.substr(16) == driver) continue;
      report.found("driver-libraries-differ", driver, fmt::format("{}/{}, kernel module {}", folder, name, driver));
    }
  }
}

}  // namespace tutti::doctor
