#include "settings/effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "settings/value.hpp"

namespace tutti::settings {

namespace {

/// Setting `name` (a `*` stands for anything) does nothing when `other` is as `when` says: "=V" that value, "!=V" not
/// that value, "set", "unset", ">=0" a number that is not negative.
struct Effect {
  std::string_view name;
  std::string_view other;
  std::string_view when;
  std::string_view why;
};

constexpr Effect effects[] = {
    {"NCCL_IB_*", "NCCL_IB_DISABLE", "=1", "InfiniBand and RoCE are off"},
    {"NCCL_IB_*", "NCCL_NET", "=Socket", "the socket network was chosen"},
    {"NCCL_SOCKET_NTHREADS", "NCCL_NET", "=IB", "the data goes over InfiniBand, not sockets"},
    {"NCCL_NSOCKS_PERTHREAD", "NCCL_NET", "=IB", "the data goes over InfiniBand, not sockets"},
    {"NCCL_IB_AR_THRESHOLD", "NCCL_IB_ADAPTIVE_ROUTING", "=0", "adaptive routing is off"},
    {"NCCL_IB_ADDR_FAMILY", "NCCL_IB_GID_INDEX", ">=0", "the address is given by its index"},
    {"NCCL_IB_ADDR_RANGE", "NCCL_IB_GID_INDEX", ">=0", "the address is given by its index"},
    {"NCCL_IB_ROCE_VERSION_NUM", "NCCL_IB_GID_INDEX", ">=0", "the address is given by its index"},
    {"NCCL_IB_SPLIT_DATA_ON_QPS", "NCCL_IB_QPS_PER_CONNECTION", "=1", "there is one queue pair"},
    {"NCCL_IB_SPLIT_DATA_ON_QPS", "NCCL_IB_QPS_PER_CONNECTION", "unset", "there is one queue pair"},
    {"NCCL_IB_RESILIENCY_PORT_FAILOVER_*", "NCCL_IB_RESILIENCY_PORT_FAILOVER", "!=1", "fail-over is off"},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY_*", "NCCL_IB_RESILIENCY_PORT_RECOVERY", "!=1", "recovery is off"},
    {"NCCL_DEBUG_SUBSYS", "NCCL_DEBUG", "unset", "nothing is logged"},
    {"NCCL_DEBUG_SUBSYS", "NCCL_DEBUG", "=VERSION", "it chooses among lines of INFO and TRACE"},
    {"NCCL_DEBUG_SUBSYS", "NCCL_DEBUG", "=WARN", "it chooses among lines of INFO and TRACE"},
    {"NCCL_DEBUG_FILE", "NCCL_DEBUG", "unset", "nothing is logged"},
    {"NCCL_DEBUG_TIMESTAMP_*", "NCCL_DEBUG", "unset", "nothing is logged"},
    {"NCCL_P2P_LEVEL", "NCCL_P2P_DISABLE", "=1", "direct ways between GPUs are off"},
    {"NCCL_P2P_DIRECT_DISABLE", "NCCL_P2P_DISABLE", "=1", "direct ways between GPUs are off"},
    {"NCCL_P2P_READ_ENABLE", "NCCL_P2P_DISABLE", "=1", "direct ways between GPUs are off"},
    {"NCCL_P2P_USE_CUDA_MEMCPY", "NCCL_P2P_DISABLE", "=1", "direct ways between GPUs are off"},
    {"NCCL_SHM_LOCALITY", "NCCL_SHM_DISABLE", "=1", "shared memory is off"},
    {"NCCL_COLLNET_NODE_THRESHOLD", "NCCL_COLLNET_ENABLE", "!=1", "CollNet is off"},
    {"NCCL_GRAPH_DUMP_FILE_RANK", "NCCL_GRAPH_DUMP_FILE", "unset", "no file is written"},
    {"NCCL_TOPO_DUMP_FILE_RANK", "NCCL_TOPO_DUMP_FILE", "unset", "no file is written"},
    {"NCCL_GDRCOPY_*", "NCCL_GDRCOPY_ENABLE", "!=1", "GDRCopy is off"},
    {"NCCL_RAS_*", "NCCL_RAS_ENABLE", "=0", "the RAS service is off"},
    {"NCCL_OOB_NET_IFNAME", "NCCL_OOB_NET_ENABLE", "!=1", "ranks meet over sockets"},
    {"NCCL_P2P_PXN_LEVEL", "NCCL_PXN_DISABLE", "=1", "ways through other GPUs' adapters are off"},
    {"NCCL_PXN_C2C", "NCCL_PXN_DISABLE", "=1", "ways through other GPUs' adapters are off"},
    {"NCCL_MNNVL_*", "NCCL_MNNVL_ENABLE", "=0", "NVLink between hosts is off"},
    {"NCCL_NVLS_*", "NCCL_NVLS_ENABLE", "=0", "reductions in NVSwitch are off"},
    {"NCCL_NVLSTREE_*", "NCCL_NVLS_ENABLE", "=0", "reductions in NVSwitch are off"},
    {"NCCL_GIN_*", "NCCL_GIN_ENABLE", "=0", "network calls by the GPU are off"},
    {"NCCL_MAX_NRINGS", "NCCL_MAX_NCHANNELS", "set", "the newer name counts"},
    {"NCCL_MIN_NRINGS", "NCCL_MIN_NCHANNELS", "set", "the newer name counts"},
    {"NCCL_NET_GDR_READ", "NCCL_NET_GDR_LEVEL", "=LOC", "GPUDirect RDMA is off"},
    {"NCCL_NET_GDR_READ", "NCCL_NET_GDR_LEVEL", "=0", "GPUDirect RDMA is off"},
    {"OMPI_MCA_coll_tuned_*_algorithm", "OMPI_MCA_coll_tuned_use_dynamic_rules", "!=1", "dynamic rules are off"},
    {"OMPI_MCA_pml_ucx_*", "OMPI_MCA_pml", "=ob1", "another layer was chosen"},
};

/// `*` stands for one or more characters.
bool matches(std::string_view name, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const auto tail = pattern.substr(star + 1);
  return name.size() > pattern.size() - 1 && name.starts_with(pattern.substr(0, star)) && name.ends_with(tail);
}

bool holds(std::string_view when, const std::optional<std::string>& value) {
  if (when == "set") return value.has_value();
  if (when == "unset") return !value;
  if (when == ">=0") return value && whole_number(*value).value_or(-1) >= 0;
  const bool negative = when.starts_with("!=");
  const bool same = value && same_word(*value, when.substr(negative ? 2 : 1));
  return negative ? !same : same;
}

std::string how_it_is(std::string_view name, const std::optional<std::string>& value) {
  return value ? fmt::format("{}={}", name, *value) : fmt::format("{} is not set", name);
}

std::string how_to_change(const Effect& effect) {
  if (effect.when.starts_with("!=")) return fmt::format("set {}={} too", effect.other, effect.when.substr(2));
  if (effect.when == "unset") {
    const bool debug = effect.other == "NCCL_DEBUG";
    return fmt::format("set {}={} too", effect.other, debug ? "INFO" : "2 or more");
  }
  return fmt::format("change {}", effect.other);
}

/// The highest and lowest of several names for one limit.
std::optional<long> limit(const Settings& settings, std::initializer_list<std::string_view> names, bool highest) {
  std::optional<long> found;
  for (const auto name : names) {
    const auto number = whole_number(settings.value(name).value_or(""));
    if (number && (!found || (highest ? *number > *found : *number < *found))) found = number;
  }
  return found;
}

bool is(const Settings& settings, std::string_view name, std::string_view value) {
  const auto found = settings.value(name);
  return found && same_word(*found, value);
}

Finding contradiction(std::string subject, std::string what, std::string remedy, Severity severity) {
  return {.id = "env-contradiction",
          .severity = severity,
          .subject = std::move(subject),
          .what = std::move(what),
          .remedy = std::move(remedy)};
}

/// Is every algorithm that NCCL_ALGO leaves one of those that begin so?
bool only(const std::optional<std::string>& algorithms, std::string_view start) {
  if (!algorithms || algorithms->empty() || algorithms->starts_with('^') ||
      algorithms->find(':') != std::string::npos) {
    return false;
  }
  const auto parts = parts_of(*algorithms, ',');
  return std::all_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return same_word(part.substr(0, start.size()), start); });
}

void find_empty_choices(const Settings& settings, std::vector<Finding>& findings) {
  const auto algorithms = settings.value("NCCL_ALGO");
  if (only(algorithms, "CollNet") && !is(settings, "NCCL_COLLNET_ENABLE", "1")) {
    findings.push_back(contradiction("NCCL_ALGO", "only CollNet may be used, and CollNet is off",
                                     "set NCCL_COLLNET_ENABLE=1, or allow another algorithm", Severity::error));
  }
  if (only(algorithms, "NVLS") && is(settings, "NCCL_NVLS_ENABLE", "0")) {
    findings.push_back(contradiction("NCCL_ALGO", "only NVLS may be used, and NVLS is off",
                                     "unset NCCL_NVLS_ENABLE, or allow another algorithm", Severity::error));
  }
  if (only(algorithms, "PAT") && is(settings, "NCCL_PAT_ENABLE", "0")) {
    findings.push_back(contradiction("NCCL_ALGO", "only PAT may be used, and PAT is off",
                                     "unset NCCL_PAT_ENABLE, or allow another algorithm", Severity::error));
  }
  if (is(settings, "NCCL_NET", "IB") && is(settings, "NCCL_IB_DISABLE", "1")) {
    findings.push_back(contradiction("NCCL_NET", "InfiniBand is chosen here and turned off by NCCL_IB_DISABLE",
                                     "unset one of the two", Severity::error));
  }
  if (is(settings, "NCCL_P2P_DISABLE", "1") && is(settings, "NCCL_SHM_DISABLE", "1")) {
    const bool none = is(settings, "NCCL_NET_DISABLE_INTRA", "1");
    findings.push_back(contradiction(
        "NCCL_SHM_DISABLE",
        none ? "GPUs of one host have no way left: direct ways, shared memory and the network inside a host are off"
             : "GPUs of one host reach one another through the network only: direct ways and shared memory are off",
        "unset NCCL_SHM_DISABLE", none ? Severity::error : Severity::warning));
  }
}

void find_doubtful(const Settings& settings, std::vector<Finding>& findings) {
  const auto risky = [&](std::string_view name, std::string_view value, std::string_view what) {
    if (!is(settings, name, value)) return;
    findings.push_back({.id = "env-risky",
                        .severity = Severity::warning,
                        .subject = std::string(name),
                        .what = std::string(what),
                        .remedy = fmt::format("unset {}", name)});
  };
  risky("NCCL_PROTO", "LL128", "LL128 alone may give wrong data where links do not write 128 bytes at once");
  risky("NCCL_GDR_FLUSH_DISABLE", "1", "without the flush a GPU may read data that has not arrived, on most platforms");
  risky("NCCL_IB_TIMEOUT", "0", "an adapter waits without end: a lost packet hangs the job");
  risky("NCCL_IGNORE_DISABLED_P2P", "1", "the driver says that peer access does not work here");
  risky("NCCL_SOCKET_IFNAME", "lo", "other hosts cannot be reached over the loopback interface");
  risky("UCX_TLS", "tcp", "GPUs and shared memory have no transport left; self and sm are needed too");
}

}  // namespace

std::vector<Finding> find_without_effect(const Settings& settings) {
  std::vector<Finding> findings;
  std::set<std::string_view> said;
  for (const Setting& setting : settings.all) {
    for (const Effect& effect : effects) {
      const auto other = settings.value(effect.other);
      if (setting.name == effect.other || !matches(setting.name, effect.name) || !holds(effect.when, other)) continue;
      if (!said.insert(setting.name).second) break;
      findings.push_back({.id = "env-no-effect",
                          .severity = Severity::warning,
                          .subject = setting.name,
                          .what = fmt::format("it has no effect: {}", effect.why),
                          .evidence = how_it_is(effect.other, other),
                          .remedy = fmt::format("{}, or unset {}", how_to_change(effect), setting.name)});
      break;
    }
  }
  return findings;
}

std::vector<Finding> find_contradictions(const Settings& settings) {
  std::vector<Finding> findings;
  const auto least = limit(settings, {"NCCL_MIN_CTAS", "NCCL_MIN_NCHANNELS"}, true);
  const auto most = limit(settings, {"NCCL_MAX_CTAS", "NCCL_MAX_NCHANNELS"}, false);
  if (least && most && *least > *most) {
    const char* name = settings.value("NCCL_MIN_CTAS") ? "NCCL_MIN_CTAS" : "NCCL_MIN_NCHANNELS";
    findings.push_back(contradiction(name, fmt::format("at least {} channels, and at most {}", *least, *most),
                                     fmt::format("{}={}", name, *most), Severity::error));
  }
  const auto threads = limit(settings, {"NCCL_SOCKET_NTHREADS"}, true);
  const auto sockets = limit(settings, {"NCCL_NSOCKS_PERTHREAD"}, true);
  if (threads && sockets && *threads > 0 && *threads <= 64 && *sockets <= 64 && *threads * *sockets > 64) {
    findings.push_back(contradiction(
        "NCCL_NSOCKS_PERTHREAD",
        fmt::format("{} threads of {} sockets are more than the 64 that a connection may have", *threads, *sockets),
        fmt::format("NCCL_NSOCKS_PERTHREAD={}", 64 / *threads), Severity::error));
  }
  const auto rank = limit(settings, {"TUTTI_RANK"}, true);
  const auto ranks = limit(settings, {"TUTTI_WORLD_SIZE"}, true);
  if (rank && ranks && *rank >= *ranks) {
    findings.push_back(contradiction("TUTTI_RANK", fmt::format("rank {} of {}: ranks count from 0", *rank, *ranks),
                                     fmt::format("TUTTI_RANK=0 to {}", *ranks - 1), Severity::error));
  }
  find_empty_choices(settings, findings);
  find_doubtful(settings, findings);
  return findings;
}

}  // namespace tutti::settings
