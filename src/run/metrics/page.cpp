#include "run/metrics/page.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace tutti::metrics {

namespace {

Labels of_rank(const RankMetrics& rank) { return {{"rank", fmt::format("{}", rank.facts.rank)}}; }

Labels of_cell(const RankMetrics& rank, const CallTally::Place& place) {
  return {{"rank", fmt::format("{}", rank.facts.rank)},
          {"collective", std::string(name(place.first))},
          {"size", std::string(size_class_name(place.second))}};
}

/// A family with one value for each rank.
template <class Value>
void each_rank(Exposition& page, const Snapshot& snapshot, std::string_view family, Kind kind, std::string_view unit,
               std::string_view help, const Value& value) {
  page.family(family, kind, unit, help);
  for (const RankMetrics& rank : snapshot.ranks) page.sample(of_rank(rank), value(rank.tally));
}

void each_cell(Exposition& page, const Snapshot& snapshot, std::string_view family, std::string_view unit,
               std::string_view help, Histogram CallTally::Cell::*histogram) {
  page.family(family, Kind::histogram, unit, help);
  for (const RankMetrics& rank : snapshot.ranks) {
    for (const auto& [place, cell] : rank.tally.cells()) {
      if ((cell.*histogram).count() > 0) page.sample(of_cell(rank, place), cell.*histogram);
    }
  }
}

void write_calls(Exposition& page, const Snapshot& snapshot) {
  page.family("tutti_rank", Kind::info, "", "Who the rank is");
  for (const RankMetrics& rank : snapshot.ranks) {
    Labels labels = of_rank(rank);
    labels.emplace_back("host", rank.facts.host);
    labels.emplace_back("run", rank.facts.job);
    labels.emplace_back("ranks", fmt::format("{}", rank.facts.ranks));
    labels.emplace_back("version", TUTTI_VERSION);
    page.sample(labels, std::uint64_t{1});
  }
  each_rank(page, snapshot, "tutti_calls", Kind::counter, "", "Calls made, all of them",
            [](const CallTally& tally) { return tally.calls; });
  each_rank(page, snapshot, "tutti_calls_in_flight", Kind::gauge, "", "Calls made and not ended, of the last 1024",
            [](const CallTally& tally) { return tally.in_flight; });
  page.family(
      "tutti_calls_read", Kind::counter, "",
      "Calls that ended and were read before newer ones took their place; fewer than tutti_calls when calls come "
      "faster than they are read");
  for (const RankMetrics& rank : snapshot.ranks) {
    for (const auto& [way, calls] : rank.tally.ways()) {
      Labels labels = of_rank(rank);
      labels.emplace_back("collective", std::string(name(std::get<Collective>(way))));
      labels.emplace_back("engine", std::string(name(std::get<Backend>(way))));
      labels.emplace_back("algorithm", std::string(name(std::get<Algorithm>(way))));
      page.sample(labels, calls);
    }
  }
  page.family("tutti_call_failures", Kind::counter, "", "Calls that ended with an error, of those read");
  for (const RankMetrics& rank : snapshot.ranks) {
    // Also of codes that have not occurred: of a counter that begins at 1 nobody sees it rise.
    for (const auto& [code, calls] : rank.tally.failures()) {
      Labels labels = of_rank(rank);
      labels.emplace_back("code", name(code));
      page.sample(labels, calls);
    }
  }
  each_cell(page, snapshot, "tutti_call_latency_seconds", "seconds",
            "From a call's turn to its end; of calls below 4 KiB every eighth", &CallTally::Cell::latency);
  each_cell(page, snapshot, "tutti_bus_bandwidth_bytes_per_second", "bytes_per_second",
            "Bus bandwidth of the same calls, as nccl-tests counts it", &CallTally::Cell::bandwidth);
  each_cell(page, snapshot, "tutti_arrival_skew_seconds", "seconds",
            "How long the last rank of this host entered a call after the first one; told by the host's first rank",
            &CallTally::Cell::skew);
  page.family("tutti_late_arrivals", Kind::counter, "",
              "Calls that this rank entered last of its host, of those compared; told by the host's first rank");
  for (const auto& [rank, late] : snapshot.late) page.sample({{"rank", fmt::format("{}", rank)}}, late.last);
  page.family("tutti_late_seconds", Kind::counter, "seconds",
              "Time by which this rank entered those calls after the first of its host");
  for (const auto& [rank, late] : snapshot.late) page.sample({{"rank", fmt::format("{}", rank)}}, late.seconds);
  each_rank(page, snapshot, "tutti_memory_bytes", Kind::counter, "bytes",
            "Bytes put through shared memory, by the schedules' formulas, of calls read",
            [](const CallTally& tally) { return tally.through_memory(); });
}

/// One value of each GPU that has it.
template <class Value>
void each_gpu(Exposition& page, const Snapshot& snapshot, const std::string& host, std::string_view family,
              std::string_view unit, std::string_view help, std::optional<Value> GpuReading::*value) {
  page.family(family, Kind::gauge, unit, help);
  for (const GpuReading& gpu : snapshot.gpus) {
    if (gpu.*value) page.sample({{"host", host}, {"gpu", fmt::format("{}", gpu.index)}}, *(gpu.*value));
  }
}

void write_gpus(Exposition& page, const Snapshot& snapshot, const std::string& host) {
  page.family("tutti_gpu", Kind::info, "", "What the GPU is");
  for (const GpuReading& gpu : snapshot.gpus) {
    page.sample({{"host", host}, {"gpu", fmt::format("{}", gpu.index)}, {"uuid", gpu.uuid}, {"name", gpu.name}},
                std::uint64_t{1});
  }
  each_gpu(page, snapshot, host, "tutti_gpu_utilisation_ratio", "ratio", "Part of the time in which a kernel ran",
           &GpuReading::utilisation);
  each_gpu(page, snapshot, host, "tutti_gpu_memory_used_bytes", "bytes", "Memory in use", &GpuReading::memory_used);
  each_gpu(page, snapshot, host, "tutti_gpu_memory_size_bytes", "bytes", "Memory there is", &GpuReading::memory_total);
  each_gpu(page, snapshot, host, "tutti_gpu_temperature_celsius", "celsius", "Temperature of the chip",
           &GpuReading::temperature);
  each_gpu(page, snapshot, host, "tutti_gpu_power_watts", "watts", "Power drawn", &GpuReading::power);
  each_gpu(page, snapshot, host, "tutti_gpu_power_limit_watts", "watts", "Power it may draw", &GpuReading::power_limit);
}

void write_links(Exposition& page, const Snapshot& snapshot, const std::string& host) {
  page.family("tutti_link_bytes", Kind::counter, "bytes",
              "Bytes that GPUs and ports of this host have sent and received, of all programs");
  const auto one = [&](std::string_view link, const std::string& device, std::string_view direction,
                       const std::optional<std::uint64_t>& bytes) {
    if (!bytes) return;
    page.sample(
        {{"host", host}, {"link", std::string(link)}, {"device", device}, {"direction", std::string(direction)}},
        *bytes);
  };
  for (const GpuReading& gpu : snapshot.gpus) {
    const std::string device = fmt::format("gpu{}", gpu.index);
    one("nvlink", device, "sent", gpu.nvlink_sent);
    one("nvlink", device, "received", gpu.nvlink_received);
    one("pcie", device, "sent", gpu.pcie_sent);
    one("pcie", device, "received", gpu.pcie_received);
  }
  for (const PortReading& port : snapshot.ports) {
    one(port.link, port.device, "sent", port.sent);
    one(port.link, port.device, "received", port.received);
  }
}

}  // namespace

std::string page_of(const Snapshot& snapshot, Style style, Labels everywhere) {
  Exposition page(style, std::move(everywhere));
  write_calls(page, snapshot);
  const std::string host = snapshot.ranks.empty() ? "" : snapshot.ranks.front().facts.host;
  if (!snapshot.gpus.empty()) write_gpus(page, snapshot, host);
  if (!snapshot.gpus.empty() || !snapshot.ports.empty()) write_links(page, snapshot, host);
  return std::move(page).finish();
}

}  // namespace tutti::metrics
