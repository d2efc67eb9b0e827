/// @file  The tables of links and memories in the forms that people and programs read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tutti/topology/links.hpp"

namespace tutti {

namespace {

/// Numbers the sources in the order in which they are first named.
class Footnotes {
 public:
  std::size_t number(std::string_view source) {
    const auto at = std::find(sources_.begin(), sources_.end(), source);
    const auto index = at - sources_.begin();
    if (at == sources_.end()) sources_.push_back(source);
    return static_cast<std::size_t>(index) + 1;
  }
  std::string text() const {
    std::string lines;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      lines += fmt::format("{:>4} {}\n", fmt::format("[{}]", i + 1), sources_[i]);
    return lines;
  }

 private:
  std::vector<std::string_view> sources_;
};

std::string amount(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:g}", std::round(value * 100) / 100);
}

}  // namespace

std::string links_text() {
  Footnotes notes;
  std::string text = "Links, GB/s (10^9)\n";
  text += fmt::format("  {:<10} {:<5} {:>9} {:>9} {:>7} {:>10} {:>11}  {:<32}\n", "", "unit", "unit, one", "reached",
                      "units", "all, one", "all, both", "signal");
  std::string_view family;
  std::string remarks;
  for (const LinkFacts& link : link_table()) {
    if (link.family != family) text += fmt::format("{}\n", family = link.family);
    text += fmt::format("  {:<10} {:<5} {:>9} {:>9} {:>7} {:>10} {:>11}  {:<32} {} [{}]\n", link.name, link.unit,
                        amount(link.one_way), link.reached > 0 ? amount(link.reached) : "", link.units,
                        amount(link.total_one_way()), amount(link.total_both_ways()), link.signal, link.on,
                        notes.number(link.source));
    if (!link.remark.empty()) remarks += fmt::format("  {}: {}\n", link.name, link.remark);
  }
  text += "\nWhere popular tables go wrong\n" + remarks;
  text += "\nGPU memory\n";
  for (const GpuFacts& gpu : gpu_table()) {
    text += fmt::format("  {:<15} {:>5} GB {:<6} {:>6} GB/s  PCIe {}{} [{}]\n", gpu.name, amount(gpu.gigabytes),
                        gpu.memory, amount(gpu.bandwidth), gpu.pcie,
                        gpu.nvlinks > 0 ? fmt::format(", {:>2} x NVLink {}", gpu.nvlinks, gpu.nvlink) : "",
                        notes.number(gpu.source));
  }
  text += fmt::format(
      "\nReached: what NCCL 2.30 plans with (src/graph/topo.h), which large transfers are seen to reach.\n"
      "Sources\n{}",
      notes.text());
  return text;
}

std::string links_json() {
  auto document = nlohmann::ordered_json::object();
  for (const LinkFacts& link : link_table()) {
    auto entry = nlohmann::ordered_json{{"family", link.family},
                                        {"name", link.name},
                                        {"unit", link.unit},
                                        {"one_way", link.one_way},
                                        {"units", link.units},
                                        {"on", link.on},
                                        {"total_one_way", link.total_one_way()},
                                        {"total_both_ways", link.total_both_ways()},
                                        {"signal", link.signal},
                                        {"source", link.source}};
    if (link.reached > 0) entry["reached"] = link.reached;
    if (!link.remark.empty()) entry["remark"] = link.remark;
    document["links"].push_back(std::move(entry));
  }
  for (const GpuFacts& gpu : gpu_table()) {
    document["gpus"].push_back({{"name", gpu.name},
                                {"memory", gpu.memory},
                                {"gigabytes", gpu.gigabytes},
                                {"bandwidth", gpu.bandwidth},
                                {"nvlink", gpu.nvlink},
                                {"nvlinks", gpu.nvlinks},
                                {"pcie", gpu.pcie},
                                {"source", gpu.source}});
  }
  return document.dump(2) + "\n";
}

}  // namespace tutti
