#include "settings/ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace tutti::settings {

namespace {

/// What ranks must agree about: otherwise they wait for one another in different algorithms, or do not meet.
constexpr std::array<std::string_view, 30> must_agree = {"NCCL_ALGO",
                                                         "NCCL_PROTO",
                                                         "NCCL_BUFFSIZE",
                                                         "NCCL_LL_BUFFSIZE",
                                                         "NCCL_LL128_BUFFSIZE",
                                                         "NCCL_NTHREADS",
                                                         "NCCL_LL128_NTHREADS",
                                                         "NCCL_THREAD_THRESHOLDS",
                                                         "NCCL_MIN_CTAS",
                                                         "NCCL_MAX_CTAS",
                                                         "NCCL_MIN_NCHANNELS",
                                                         "NCCL_MAX_NCHANNELS",
                                                         "NCCL_CHUNK_SIZE",
                                                         "NCCL_P2P_NET_CHUNKSIZE",
                                                         "NCCL_P2P_LL_THRESHOLD",
                                                         "NCCL_COLLNET_ENABLE",
                                                         "NCCL_NVLS_ENABLE",
                                                         "NCCL_PAT_ENABLE",
                                                         "NCCL_CROSS_NIC",
                                                         "NCCL_NET",
                                                         "NCCL_IB_DISABLE",
                                                         "NCCL_IB_QPS_PER_CONNECTION",
                                                         "NCCL_IB_SPLIT_DATA_ON_QPS",
                                                         "NCCL_RUNTIME_CONNECT",
                                                         "NCCL_COMM_ID",
                                                         "TUTTI_WORLD_SIZE",
                                                         "TUTTI_STORE",
                                                         "TUTTI_JOB",
                                                         "TUTTI_SECRET",
                                                         "TUTTI_CHECK_ACROSS_RANKS"};

/// What is each rank's own affair.
constexpr std::array<std::string_view, 14> own_affair = {"TUTTI_RANK",
                                                         "TUTTI_LISTEN",
                                                         "TUTTI_HOST_ID",
                                                         "NCCL_HOSTID",
                                                         "NCCL_DEBUG",
                                                         "NCCL_DEBUG_FILE",
                                                         "NCCL_DEBUG_SUBSYS",
                                                         "NCCL_PROXY_CPUSET",
                                                         "NCCL_TOPO_DUMP_FILE",
                                                         "NCCL_GRAPH_DUMP_FILE",
                                                         "UCX_LOG_FILE",
                                                         "OMPI_MCA_orte_ess_vpid",
                                                         "OMPI_MCA_ess_base_vpid",
                                                         "OMPI_MCA_initial_wdir"};

/// What may differ where hosts do.
constexpr std::array<std::string_view, 8> hosts_affair = {
    "NCCL_IB_HCA",     "NCCL_SOCKET_IFNAME",  "NCCL_IB_GID_INDEX",           "NCCL_TOPO_FILE",
    "UCX_NET_DEVICES", "NCCL_OOB_NET_IFNAME", "OMPI_MCA_btl_tcp_if_include", "NCCL_GRAPH_FILE"};

template <class Names>
bool is_in(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "ranks 0, 1, 2 and 5 more".
std::string some_of(const std::vector<std::string>& who) {
  const std::vector<std::string> first(who.begin(),
                                       who.begin() + static_cast<long>(std::min<std::size_t>(3, who.size())));
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (who.size() > 3) text += fmt::format(" and {} more", who.size() - 3);
  return text;
}

}  // namespace

std::string shown_value(std::string_view name, const std::string& value) {
  if (name.find("SECRET") != std::string_view::npos) return "(not shown)";
  return value.size() <= 200 ? value : value.substr(0, 200) + "...";
}

std::vector<Finding> find_differences(std::span<const Settings> ranks) {
  std::vector<Finding> findings;
  if (ranks.size() < 2) return findings;
  std::set<std::string> names;
  for (const Settings& rank : ranks) {
    for (const Setting& setting : rank.all) names.insert(setting.name);
  }
  for (const std::string& name : names) {
    if (is_in(own_affair, name)) continue;
    std::map<std::string, std::vector<std::string>> who_by_value;
    bool unset = false;
    for (const Settings& rank : ranks) {
      const auto value = rank.value(name);
      unset = unset || !value;
      who_by_value[value ? "=" + *value : std::string("not set")].push_back(rank.who);
    }
    if (who_by_value.size() < 2) continue;
    std::vector<std::string> parts;
    for (const auto& [value, who] : who_by_value) {
      const std::string text = value.starts_with('=') ? shown_value(name, value.substr(1)) : value;
      parts.push_back(fmt::format("{} on {}", text, some_of(who)));
      if (parts.size() == 6) break;
    }
    const Severity severity = is_in(must_agree, name)     ? Severity::error
                              : is_in(hosts_affair, name) ? Severity::note
                                                          : Severity::warning;
    findings.push_back({.id = "env-ranks-differ",
                        .severity = severity,
                        .subject = name,
                        .what = unset ? "some ranks have it and others do not" : "ranks have different values",
                        .evidence = fmt::format("{}", fmt::join(parts, "; ")),
                        .remedy = severity == Severity::note
                                      ? "right where the hosts are different, else give all the same"
                                      : "give all ranks the same: mpirun -x " + name + ", srun --export=ALL"});
  }
  return findings;
}

std::vector<Finding> find_repetitions(const Settings& settings) {
  std::vector<Finding> findings;
  std::map<std::string, const Setting*> last;
  for (const Setting& setting : settings.all) {
    const Setting*& before = last[setting.name];
    if (before != nullptr && before->value != setting.value) {
      findings.push_back({.id = "env-twice",
                          .severity = Severity::warning,
                          .place = setting.place,
                          .line = setting.line,
                          .subject = setting.name,
                          .what = "it is given twice, with different values; the last one holds",
                          .evidence = fmt::format("\"{}\"{}, then \"{}\"", shown_value(setting.name, before->value),
                                                  before->line == 0 ? "" : fmt::format(" on line {}", before->line),
                                                  shown_value(setting.name, setting.value)),
                          .remedy = "keep one of them"});
    }
    before = &setting;
  }
  return findings;
}

}  // namespace tutti::settings
