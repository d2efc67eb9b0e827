/// @file  NVLink and peer access between GPUs, from what nvidia-smi prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "doctor/rule.hpp"
#include "doctor/smi.hpp"
#include "doctor/view.hpp"
#include "topology/text.hpp"

namespace tutti::doctor {

namespace {

struct Links {
  std::string title{};
  int active = 0;
  std::vector<std::string> down{};
};

/// "GPU 0: NVIDIA A100 (UUID: …)", then "Link 0: 25 GB/s" or "Link 1: <inactive>".
std::vector<Links> read_links(std::string_view text) {
  std::vector<Links> gpus;
  for (std::string_view line : lines_of(text)) {
    line = trim(line);
    if (line.starts_with("GPU ")) {
      gpus.push_back({.title = "gpu" + std::string(line.substr(4, line.find(':') - 4))});
    } else if (line.starts_with("Link ") && !gpus.empty()) {
      if (line.find("inactive") != std::string_view::npos) {
        gpus.back().down.emplace_back(line.substr(5, line.find(':') - 5));
      } else if (line.find("GB/s") != std::string_view::npos) {
        ++gpus.back().active;
      }
    }
  }
  return gpus;
}

/// Pairs whose cell says other than OK: "GPU0-GPU1 CNS".
std::vector<std::string> bad_pairs(std::string_view matrix) {
  std::vector<std::string> pairs;
  for (std::string_view line : lines_of(matrix)) {
    line = trim(line);
    if (!line.starts_with("GPU") || line.find("OK") == std::string_view::npos) {
      if (!line.starts_with("GPU") || line.find("NS") == std::string_view::npos) continue;
    }
    std::string row;
    int column = -1;
    while (!line.empty()) {
      const auto end = std::min(line.find_first_of(" \t"), line.size());
      const auto cell = line.substr(0, end);
      line = trim(line.substr(end));
      if (column++ < 0) {
        row = cell;
      } else if (cell == "NS" || cell == "CNS" || cell == "GNS" || cell == "TNS") {
        pairs.push_back(fmt::format("{}-GPU{} {}", row, column - 1, cell));
      }
    }
  }
  return pairs;
}

}  // namespace

void look_at_nvlink(const Snapshot& snapshot, Report& report) {
  const auto output = snapshot.outputs.find("nvidia-smi nvlink -s");
  const auto gpus = output == snapshot.outputs.end() ? std::vector<Links>{} : read_links(output->second);
  std::set<int> counts;
  std::vector<std::string> shown;
  for (const Links& gpu : gpus) {
    counts.insert(gpu.active);
    shown.push_back(fmt::format("{}: {}", gpu.title, gpu.active));
    if (gpu.active > 0 && !gpu.down.empty()) {
      report.found("nvlink-down", gpu.title,
                   fmt::format("link {} inactive, {} active", fmt::join(gpu.down, ", "), gpu.active));
    }
  }
  if (counts.size() > 1 && *counts.begin() > 0)
    report.found("nvlink-uneven", "NVLinks", fmt::format("{}", fmt::join(shown, ", ")));
  const auto smi = smi_gpus(snapshot);
  for (const SmiGpu& gpu : smi) {
    const auto index = static_cast<std::size_t>(gpu.index);
    const bool made_for_it = gpu.name.find("SXM") != std::string::npos || gpu.name.find("HGX") != std::string::npos;
    const bool has = index < gpus.size() && gpus[index].active > 0;
    const bool divided = gpu.say("mig_mode/current_mig") == "Enabled";
    if (smi.size() > 1 && made_for_it && !has && !divided && output != snapshot.outputs.end()) {
      report.found("nvlink-missing", gpu.title(), "nvidia-smi nvlink -s shows no active link");
    }
  }
  const auto peers = snapshot.outputs.find("nvidia-smi topo -p2p r");
  if (peers == snapshot.outputs.end()) return;
  const auto pairs = bad_pairs(peers->second);
  if (!pairs.empty())
    report.found("p2p-not-ok", fmt::format("{} pairs", pairs.size()), fmt::format("{}", fmt::join(pairs, ", ")));
}

}  // namespace tutti::doctor
