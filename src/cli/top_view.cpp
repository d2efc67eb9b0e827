#include "cli/top_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "topology/text.hpp"
#include "tutti/base/units.hpp"

namespace tutti::cli {

namespace {

struct RankRow {
  std::string host{};
  double calls = 0, in_flight = 0, failures = 0, late = 0, late_seconds = 0;
  Buckets latency{};
};

struct CallRow {
  Buckets latency{}, bandwidth{}, skew{};
};

struct GpuRow {
  std::map<std::string, double> values{};  ///< by the name of the metric
};

/// Numbers sort as numbers.
struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

struct Tables {
  std::map<std::string, RankRow, ByNumber> ranks{};
  std::map<std::tuple<std::string, int, std::string>, CallRow> calls{};  ///< collective, order of the size, size
  std::map<std::pair<std::string, std::string>, GpuRow> gpus{};          ///< host, gpu
  std::map<std::tuple<std::string, std::string, std::string>, std::pair<double, double>>
      links{};  ///< host, link, device
};

int order_of_size(const std::string& size) {
  constexpr const char* names[] = {"0", "256B", "4KiB", "64KiB", "1MiB", "16MiB", "256MiB", "larger"};
  return static_cast<int>(std::find(std::begin(names), std::end(names), size) - std::begin(names));
}

void put(Buckets& buckets, const Sample& sample, bool is_sum) {
  if (is_sum) {
    buckets.sum += sample.value;
    return;
  }
  const std::string bound = sample.label("le");
  buckets.below[bound == "+Inf" ? HUGE_VAL : std::atof(bound.c_str())] += sample.value;
}

bool only_grows(const Sample& sample) {
  const auto ends = [&](const char* end) { return sample.name.ends_with(end); };
  return (ends("_total") && sample.name != "tutti_call_failures_total") || ends("_bucket") || ends("_sum") ||
         ends("_count");
}

/// The samples with what was counted in between. Of a source that has come since, nothing was; of one that began anew, what
/// it has counted from then on.
std::vector<Sample> counted_between(const Look& before, const Look& now) {
  using Series = std::pair<std::string, std::map<std::string, std::string>>;
  std::map<Series, double> earlier;
  std::set<std::string> known;  // ranks
  for (const Sample& sample : before.samples) {
    if (only_grows(sample)) earlier[{sample.name, sample.labels}] = sample.value;
    if (sample.name == "tutti_calls_total") known.insert(sample.label("rank"));
  }
  std::vector<Sample> between = now.samples;
  for (Sample& sample : between) {
    if (!only_grows(sample)) continue;
    const auto found = earlier.find({sample.name, sample.labels});
    if (found != earlier.end()) {
      if (found->second <= sample.value) sample.value -= found->second;
    } else if (!known.contains(sample.label("rank"))) {
      sample.value = 0;
    }
  }
  return between;
}

Tables tables_of(const std::vector<Sample>& samples) {
  Tables tables;
  const auto ends = [](const std::string& name, const char* end) { return name.ends_with(end); };
  for (const Sample& sample : samples) {
    const std::string& name = sample.name;
    const std::string rank = sample.label("rank");
    const bool bucket = ends(name, "_bucket"), sum = ends(name, "_sum");
    if (bucket || sum) {
      const std::string size = sample.label("size");
      CallRow& call = tables.calls[{sample.label("collective"), order_of_size(size), size}];
      if (name.starts_with("tutti_call_latency_seconds")) {
        put(call.latency, sample, sum);
        put(tables.ranks[rank].latency, sample, sum);
      } else if (name.starts_with("tutti_bus_bandwidth")) {
        put(call.bandwidth, sample, sum);
      } else if (name.starts_with("tutti_arrival_skew")) {
        put(call.skew, sample, sum);
      }
    } else if (name == "tutti_calls_total") {
      tables.ranks[rank].calls += sample.value;
    } else if (name == "tutti_call_failures_total") {
      tables.ranks[rank].failures += sample.value;
    } else if (name == "tutti_late_arrivals_total") {
      tables.ranks[rank].late += sample.value;
    } else if (name == "tutti_late_seconds_total") {
      tables.ranks[rank].late_seconds += sample.value;
    } else if (name == "tutti_link_bytes_total") {
      auto& [sent, received] = tables.links[{sample.label("host"), sample.label("link"), sample.label("device")}];
      (sample.label("direction") == "sent" ? sent : received) += sample.value;
    } else if (name == "tutti_rank_info") {
      tables.ranks[rank].host = sample.label("host");
    } else if (name == "tutti_calls_in_flight") {
      tables.ranks[rank].in_flight = sample.value;
    } else if (name.starts_with("tutti_gpu_") && name != "tutti_gpu_info") {
      tables.gpus[{sample.label("host"), sample.label("gpu")}].values[name] = sample.value;
    }
  }
  return tables;
}

std::string in_seconds(std::optional<double> seconds) {
  if (!seconds) return "-";
  if (*seconds < 1e-3) return fmt::format("{:.1f} us", *seconds * 1e6);
  return *seconds < 1 ? fmt::format("{:.1f} ms", *seconds * 1e3) : fmt::format("{:.1f} s", *seconds);
}

std::string in_gigabytes(std::optional<double> bytes) { return bytes ? fmt::format("{:.2f}", *bytes / 1e9) : "-"; }

/// 12, 3.4k, 5.6M
std::string in_short(double value) {
  if (value < 1000) return fmt::format("{:.{}f}", value, value < 10 && value != std::floor(value) ? 1 : 0);
  if (value < 1e6) return fmt::format("{:.1f}k", value / 1e3);
  return value < 1e9 ? fmt::format("{:.1f}M", value / 1e6) : fmt::format("{:.1f}G", value / 1e9);
}

}  // namespace

std::vector<std::string> top_lines(const Look* before, const Look& now, std::size_t width, std::size_t height) {
  const Tables tables = tables_of(before != nullptr ? counted_between(*before, now) : now.samples);
  const double seconds = before != nullptr ? std::max(now.seconds - before->seconds, 1e-9) : 1;
  const char* per = before != nullptr ? "/s" : "";

  std::vector<std::string> lines;
  lines.push_back(fmt::format("{:>5} {:<14} {:>9} {:>9} {:>6} {:>9} {:>9} {:>9} {:>9}", "RANK", "HOST",
                              fmt::format("CALLS{}", per), "IN FLIGHT", "FAILED", "p50", "p99",
                              fmt::format("LAST IN{}", per), "LATE BY"));
  for (const auto& [rank, row] : tables.ranks) {
    std::optional<double> late;
    if (row.late > 0) late = row.late_seconds / row.late;
    lines.push_back(fmt::format("{:>5} {:<14.14} {:>9} {:>9} {:>6} {:>9} {:>9} {:>9} {:>9}", rank, row.host,
                                in_short(row.calls / seconds), in_short(row.in_flight), in_short(row.failures),
                                in_seconds(row.latency.quantile(0.5)), in_seconds(row.latency.quantile(0.99)),
                                in_short(row.late / seconds), in_seconds(late)));
  }
  bool head = false;
  for (const auto& [key, row] : tables.calls) {
    if (row.latency.count() < 0.5 && row.skew.count() < 0.5) continue;
    if (!std::exchange(head, true)) {
      lines.emplace_back();
      lines.push_back(fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}", "COLLECTIVE", "UP TO",
                                  fmt::format("TIMED{}", per), "p50", "p99", "BUS GB/s", "SKEW p50", "SKEW p99"));
    }
    lines.push_back(fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}", std::get<0>(key), std::get<2>(key),
                                in_short(row.latency.count() / seconds), in_seconds(row.latency.quantile(0.5)),
                                in_seconds(row.latency.quantile(0.99)), in_gigabytes(row.bandwidth.quantile(0.5)),
                                in_seconds(row.skew.quantile(0.5)), in_seconds(row.skew.quantile(0.99))));
  }
  if (!tables.gpus.empty()) {
    lines.emplace_back();
    lines.push_back(
        fmt::format("{:<14} {:>4} {:>6} {:>19} {:>6} {:>13}", "HOST", "GPU", "BUSY", "MEMORY", "TEMP", "POWER"));
  }
  for (const auto& [key, row] : tables.gpus) {
    const auto value = [&](const char* name) -> std::optional<double> {
      const auto found = row.values.find(name);
      if (found == row.values.end()) return {};
      return found->second;
    };
    const auto text = [](std::optional<double> number, double factor, const char* unit) {
      return number ? fmt::format("{:.0f}{}", *number * factor, unit) : std::string("-");
    };
    const auto used = value("tutti_gpu_memory_used_bytes"), size = value("tutti_gpu_memory_size_bytes");
    lines.push_back(
        fmt::format("{:<14.14} {:>4} {:>6} {:>19} {:>6} {:>13}", key.first, key.second,
                    text(value("tutti_gpu_utilisation_ratio"), 100, "%"),
                    used && size ? fmt::format("{:.1f} of {:.1f} GiB", *used / 0x1p30, *size / 0x1p30) : "-",
                    text(value("tutti_gpu_temperature_celsius"), 1, " C"),
                    fmt::format("{} of {}", text(value("tutti_gpu_power_watts"), 1, ""),
                                text(value("tutti_gpu_power_limit_watts"), 1, " W"))));
  }
  if (!tables.links.empty()) {
    lines.emplace_back();
    lines.push_back(fmt::format("{:<14} {:<10} {:<12} {:>12} {:>12}", "HOST", "LINK", "DEVICE",
                                fmt::format("SENT MB{}", per), fmt::format("RECV MB{}", per)));
  }
  for (const auto& [key, bytes] : tables.links) {
    lines.push_back(fmt::format("{:<14.14} {:<10} {:<12.12} {:>12.2f} {:>12.2f}", std::get<0>(key), std::get<1>(key),
                                std::get<2>(key), bytes.first / seconds / 1e6, bytes.second / seconds / 1e6));
  }
  if (height > 0 && lines.size() > height) {
    const std::size_t hidden = lines.size() - height + 1;
    lines.resize(height - 1);
    lines.push_back(fmt::format("... {} more lines: make the window higher, or use --once", hidden));
  }
  for (std::string& line : lines) {
    line = printable_lines(std::move(line));
    if (line.size() > width) line.resize(width);
  }
  return lines;
}

}  // namespace tutti::cli
