/// @file  Each GPU: memory errors, heat, power, clocks, modes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "doctor/rule.hpp"
#include "doctor/smi.hpp"

namespace tutti::doctor {

namespace {

void look_at_memory(const SmiGpu& gpu, Report& report) {
  if (gpu.say("ecc_mode/current_ecc") == "Disabled") report.found("ecc-off", gpu.title(), "ECC mode: Disabled");
  for (const char* kind : {"dram_uncorrectable", "sram_uncorrectable", "sram_uncorrectable_parity",
                           "sram_uncorrectable_secded", "double_bit/total"}) {
    const std::string path = fmt::format("ecc_errors/volatile/{}", kind);
    if (const auto count = gpu.number({path.c_str()}); count && *count > 0) {
      report.found("ecc-errors", gpu.title(), fmt::format("{}: {:.0f} since the driver was loaded", kind, *count));
    }
  }
  if (gpu.say("remapped_rows/remapped_row_pending") == "Yes") report.found("ecc-rows", gpu.title(), "a row is pending");
  if (gpu.say("remapped_rows/remapped_row_failure") == "Yes")
    report.found("ecc-rows", gpu.title(), "a row could not be replaced");
  if (gpu.say("retired_pages/pending_retirement") == "Yes") report.found("ecc-rows", gpu.title(), "a page is pending");
}

void look_at_heat_and_power(const SmiGpu& gpu, Report& report) {
  const auto heat = gpu.number({"temperature/gpu_temp"});
  const auto limit = gpu.number({"temperature/gpu_temp_slow_threshold"});
  if (gpu.slowed_by("hw_thermal_slowdown") || gpu.slowed_by("sw_thermal_slowdown")) {
    report.found("thermal-slowdown", gpu.title(), heat ? fmt::format("{:.0f} C now", *heat) : "it says so");
  } else if (heat && limit && *heat >= *limit - 5) {
    report.found("temperature-high", gpu.title(), fmt::format("{:.0f} C, slows down at {:.0f} C", *heat, *limit));
  }
  if (gpu.slowed_by("hw_power_brake_slowdown")) report.found("power-brake", gpu.title(), "power brake: Active");
  const auto power = gpu.number({"gpu_power_readings/current_power_limit", "gpu_power_readings/power_limit",
                                 "power_readings/enforced_power_limit", "power_readings/power_limit"});
  const auto usual = gpu.number({"gpu_power_readings/default_power_limit", "power_readings/default_power_limit"});
  if (power && usual && *power < *usual - 1) {
    Finding& finding = report.found("power-capped", gpu.title(), fmt::format("{:.0f} W of {:.0f} W", *power, *usual));
    finding.remedy = fmt::format("nvidia-smi -i {} -pl {:.0f}", gpu.index, *usual);
  }
}

void look_at_modes(const SmiGpu& gpu, Report& report) {
  if (gpu.say("persistence_mode") == "Disabled")
    report.found("persistence-off", gpu.title(), "persistence mode: Disabled");
  if (gpu.say("mig_mode/current_mig") == "Enabled") report.found("mig-on", gpu.title(), "MIG mode: Enabled");
  const auto mode = gpu.say("compute_mode");
  if (mode == "Prohibited" || mode == "Exclusive_Process") {
    Finding& finding = report.found("compute-mode", gpu.title(), fmt::format("compute mode: {}", mode));
    if (mode == "Prohibited") finding.severity = Severity::error;
  }
  const auto clock = gpu.number({"applications_clocks/graphics_clock"});
  const auto most = gpu.number({"default_applications_clocks/graphics_clock"});
  if (clock && most && *clock < *most) {
    report.found("clocks-limited", gpu.title(), fmt::format("{:.0f} MHz, {:.0f} MHz by default", *clock, *most));
  }
  const auto state = gpu.say("fabric/state");
  const auto status = gpu.say("fabric/status");
  const bool trouble = state == "In Progress" || state == "Not Started" ||
                       (state == "Completed" && status != "Success" && status != "N/A" && !status.empty());
  if (trouble)
    report.found("fabric-not-ready", gpu.title(),
                 fmt::format("fabric: {}, {}", state, status.empty() ? "no status" : status));
  if (const auto replays = gpu.number({"pci/replay_counter"}); replays && *replays > 100) {
    report.found("pcie-replays", gpu.title(), fmt::format("{:.0f} since the driver was loaded", *replays));
  }
}

}  // namespace

void look_at_gpus(const Snapshot& snapshot, Report& report) {
  std::set<std::string> models;
  for (const SmiGpu& gpu : smi_gpus(snapshot)) {
    look_at_memory(gpu, report);
    look_at_heat_and_power(gpu, report);
    look_at_modes(gpu, report);
    if (!gpu.name.empty()) models.insert(gpu.name);
  }
  if (models.size() > 1) report.found("gpus-differ", "GPUs", fmt::format("{}", fmt::join(models, ", ")));
}

}  // namespace tutti::doctor
