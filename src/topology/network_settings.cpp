#include "tutti/topology/network_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <variant>
#include <vector>

#include "base/infiniband_time.hpp"
#include "base/nearest.hpp"
#include "base/whole_number.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

using Settings = NetworkSettings;
using Whole = std::optional<std::int64_t> Settings::*;
using Real = std::optional<double> Settings::*;
using Switch = std::optional<bool> Settings::*;
using Level = std::optional<GpuDirect> Settings::*;
using Text = std::string Settings::*;

/// One row for each member: everything below goes through this table.
struct Row {
  NetworkSettingFacts facts;
  std::variant<Whole, Real, Switch, Level, Text> member;
  double least = 0;
  double most = 0;
  bool negated = false;  ///< the variable says the opposite
};

const std::array rows{
    Row{{"link_rate", "", "1 to 3200", "", "Gbit/s of one port, one direction"}, &Settings::link_rate, 1, 3200},
    Row{{"ports", "", "1 or 2", "", "ports of an adapter, used together"}, &Settings::ports, 1, 2},
    Row{{"rails", "", "1 to 64", "", "adapters of a node"}, &Settings::rails, 1, 64},
    Row{{"latency", "", "0 to 1000000", "", "microseconds one way, adapter to adapter"}, &Settings::latency, 0, 1e6},
    Row{{"mtu", "", "256, 512, 1024, 2048 or 4096", "", "bytes of payload in a packet"}, &Settings::mtu, 256, 4096},
    Row{{"adaptive_routing", "NCCL_IB_ADAPTIVE_ROUTING", "0 or 1", "1 on InfiniBand, 0 on RoCE",
         "packets of a message may take different ways"},
        &Settings::adaptive_routing},
    Row{{"adaptive_threshold", "NCCL_IB_AR_THRESHOLD", "0 to 1073741824", "8192",
         "bytes above which a message is routed adaptively"},
        &Settings::adaptive_threshold,
        0,
        1 << 30},
    Row{{"queue_pairs", "NCCL_IB_QPS_PER_CONNECTION", "1 to 128", "1", "queue pairs of a connection"},
        &Settings::queue_pairs,
        1,
        128},
    Row{{"split_data", "NCCL_IB_SPLIT_DATA_ON_QPS", "0 or 1", "0", "each message over all queue pairs, else in turn"},
        &Settings::split_data},
    Row{{"timeout", "NCCL_IB_TIMEOUT", "0 to 31", "20",
         "t of 4.096 us x 2^t until a packet is sent again; 0: for ever"},
        &Settings::timeout,
        0,
        31},
    Row{{"retry_count", "NCCL_IB_RETRY_CNT", "0 to 7", "7", "times a packet is sent again before the connection fails"},
        &Settings::retry_count,
        0,
        7},
    Row{{"traffic_class", "NCCL_IB_TC", "0 to 255", "0", "traffic class; RoCE: DSCP times 4"},
        &Settings::traffic_class,
        0,
        255},
    Row{{"service_level", "NCCL_IB_SL", "0 to 15", "0", "InfiniBand service level"}, &Settings::service_level, 0, 15},
    Row{{"gid_index", "NCCL_IB_GID_INDEX", "0 to 255", "chosen", "RoCE: entry of the port's table of addresses"},
        &Settings::gid_index,
        0,
        255},
    Row{{"gpu_direct", "NCCL_NET_GDR_LEVEL", "off, PIX, PXB, PHB or SYS", "chosen",
         "how far a GPU may be from an adapter that reads its memory"},
        &Settings::gpu_direct},
    Row{{"gpu_direct_read", "NCCL_NET_GDR_READ", "0 or 1", "1 with NVLink", "the same for sending"},
        &Settings::gpu_direct_read},
    Row{{"pxn", "NCCL_PXN_DISABLE", "0 or 1", "1", "adapters are used through the NVLink of the GPU beside them"},
        &Settings::pxn,
        0,
        1,
        true},
    Row{{"cross_rails", "NCCL_CROSS_NIC", "0 to 2", "2", "a ring may change rails: never, as it comes, when faster"},
        &Settings::cross_rails,
        0,
        2},
    Row{{"sharp", "NCCL_COLLNET_ENABLE", "0 or 1", "0", "switches reduce (SHARP); needs its plugin"}, &Settings::sharp},
    Row{{"adapters", "NCCL_IB_HCA", "names", "all", "which adapters: mlx5_0,mlx5_1; ^ excludes, = takes names exactly"},
        &Settings::adapters},
};

constexpr std::array<std::string_view, 5> levels{"off", "PIX", "PXB", "PHB", "SYS"};

[[noreturn]] void refuse(std::string_view place, std::string_view value, const Row& row) {
  throw Error(Code::invalid_argument, fmt::format("{}={}: expected {}", place, shown(value, 60), row.facts.range),
              {.remedy = std::string(row.facts.what)});
}

bool in_range(const Row& row, double value) {
  if (!(value >= row.least && value <= row.most)) return false;
  const auto bits = static_cast<std::int64_t>(value);
  return row.facts.key != "mtu" || (bits & (bits - 1)) == 0;
}

/// `place` is what the message begins with: a key or a variable. `variable` says that NCCL's conventions hold.
void assign(Settings& settings, const Row& row, std::string_view place, std::string_view text, bool variable) {
  struct Assign {
    Settings& settings;
    const Row& row;
    std::string_view place;
    std::string_view text;
    bool variable;

    void operator()(Whole member) const {
      const auto value = whole_number_of(trim(text));
      // NCCL's own way to say "not set".
      const bool unset = variable && value == -1 && row.least == 0;
      if (unset) return;
      if (!value || !in_range(row, static_cast<double>(*value))) refuse(place, text, row);
      settings.*member = *value;
    }
    void operator()(Real member) const {
      double value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc{} || end != text.data() + text.size() || !in_range(row, value)) refuse(place, text, row);
      settings.*member = value;
    }
    void operator()(Switch member) const {
      const auto value = text == "on" || text == "true"     ? 1
                         : text == "off" || text == "false" ? 0
                                                            : whole_number_of(trim(text)).value_or(-9);
      if (variable && (value == -2 || value == -1)) return;
      if (value != 0 && value != 1) refuse(place, text, row);
      settings.*member = (value == 1) != (variable && row.negated);
    }
    void operator()(Level member) const {
      const auto level = gpu_direct_named(text);
      if (!level) refuse(place, text, row);
      settings.*member = *level;
    }
    void operator()(Text member) const {
      if (text.find_first_of(" \t\n\"'") != std::string_view::npos || text.size() > 4096) refuse(place, text, row);
      settings.*member = std::string(text);
    }
  };
  std::visit(Assign{settings, row, place, trim(text), variable}, row.member);
}

/// The value as text; nothing when it is not set.
std::optional<std::string> text_of(const Settings& settings, const Row& row, bool variable) {
  struct Read {
    const Settings& settings;
    const Row& row;
    bool variable;
    using Result = std::optional<std::string>;

    Result operator()(Whole member) const {
      const auto& value = settings.*member;
      return value ? Result(fmt::format("{}", *value)) : Result();
    }
    Result operator()(Real member) const {
      const auto& value = settings.*member;
      return value ? Result(fmt::format("{}", *value)) : Result();
    }
    Result operator()(Switch member) const {
      const auto& value = settings.*member;
      return value ? Result((*value != (variable && row.negated)) ? "1" : "0") : Result();
    }
    Result operator()(Level member) const {
      const auto& value = settings.*member;
      if (!value) return {};
      return variable && *value == GpuDirect::off ? "LOC" : std::string(name(*value));
    }
    Result operator()(Text member) const { return (settings.*member).empty() ? Result() : Result(settings.*member); }
  };
  return std::visit(Read{settings, row, variable}, row.member);
}

}  // namespace

std::string_view name(GpuDirect level) noexcept {
  const auto at = static_cast<std::size_t>(level);
  return at < levels.size() ? levels[at] : "?";
}

std::optional<GpuDirect> gpu_direct_named(std::string_view name) noexcept {
  if (same_but_case(name, "LOC")) return GpuDirect::off;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (same_but_case(levels[i], name)) return static_cast<GpuDirect>(i);
  }
  return {};
}

std::span<const NetworkSettingFacts> network_setting_facts() {
  static const std::vector<NetworkSettingFacts> all = [] {
    std::vector<NetworkSettingFacts> list;
    for (const Row& row : rows) list.push_back(row.facts);
    return list;
  }();
  return all;
}

void check(const NetworkSettings& settings, std::string_view what) {
  NetworkSettings again;
  for (const Row& row : rows) {
    const auto value = text_of(settings, row, false);
    if (value) assign(again, row, fmt::format("{}: {}", what, row.facts.key), *value, false);
  }
}

void set(NetworkSettings& settings, std::string_view key, std::string_view value) {
  for (const Row& row : rows) {
    if (row.facts.key == key) return assign(settings, row, key, value, false);
  }
  std::vector<std::string_view> keys;
  for (const Row& row : rows) keys.push_back(row.facts.key);
  throw Error(Code::invalid_argument, fmt::format("there is no network setting '{}'", shown(key, 60)),
              {.remedy = fmt::format("did you mean '{}'?", nearest(key, keys))});
}

NcclVariables to_nccl_variables(const NetworkSettings& settings) {
  check(settings);
  NcclVariables variables;
  for (const Row& row : rows) {
    if (row.facts.variable.empty()) continue;
    if (auto value = text_of(settings, row, true)) variables.emplace(row.facts.variable, *std::move(value));
  }
  return variables;
}

NetworkSettings network_settings_from(const NcclVariables& variables) {
  NetworkSettings settings;
  for (const Row& row : rows) {
    const auto found = row.facts.variable.empty() ? variables.end() : variables.find(row.facts.variable);
    if (found != variables.end() && !found->second.empty()) assign(settings, row, found->first, found->second, true);
  }
  return settings;
}

std::string to_string(const NetworkSettings& settings) {
  std::string text;
  for (const Row& row : rows) {
    const auto value = text_of(settings, row, false);
    if (value) text += fmt::format("{}{}={}", text.empty() ? "" : " ", row.facts.key, *value);
  }
  return text;
}

double acknowledge_timeout(const NetworkSettings& settings) {
  return acknowledge_seconds(settings.timeout.value_or(20));
}

double give_up_after(const NetworkSettings& settings) {
  return give_up_seconds(settings.timeout.value_or(20), settings.retry_count.value_or(7));
}

double payload_share(const NetworkSettings& settings, bool roce) {
  // InfiniBand: local route 8, base transport 12, invariant and variant checks 4 and 2. RoCE v2: preamble 8, Ethernet
  // 14 and its check 4, IP 20, UDP 8, base transport 12, invariant check 4, gap 12.
  const double around = roce ? 82 : 26;
  const auto payload = static_cast<double>(settings.mtu.value_or(4096));
  return payload / (payload + around);
}

Cluster with(const Cluster& cluster, const NetworkSettings& settings) {
  check(settings);
  ClusterParts parts = cluster.parts();
  const auto ports = static_cast<double>(settings.ports.value_or(1));
  if (settings.link_rate) {
    parts.fabric.bandwidth = Quantity::read(*settings.link_rate / 8 * ports);
    parts.fabric.link = fmt::format("{:g} Gbit/s{}", *settings.link_rate, ports > 1 ? " x 2" : "");
  } else if (settings.ports) {
    parts.fabric.bandwidth.value *= ports;
  }
  if (settings.rails) parts.fabric.rails = static_cast<int>(*settings.rails);
  if (settings.latency) parts.fabric.latency = Quantity::read(*settings.latency);
  return Cluster(std::move(parts));
}

}  // namespace tutti
