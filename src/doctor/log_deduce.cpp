#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/infiniband_time.hpp"
#include "doctor/log_findings.hpp"
#include "settings/value.hpp"
#include "settings/version.hpp"
#include "topology/text.hpp"

namespace tutti::doctor {

namespace {

std::optional<std::string> setting(const LogFacts& facts, std::string_view name) {
  for (const auto& [rank, settings] : facts.settings) {
    for (const LogSetting& each : settings) {
      if (each.name == name) return each.value;
    }
  }
  return {};
}

std::size_t connections(const LogFacts& facts, std::string_view start, std::string_view end) {
  std::size_t count = 0;
  for (const auto& [kind, number] : facts.transports) {
    if (kind.starts_with(start) && kind.ends_with(end)) count += number;
  }
  return count;
}

Finding found(std::string id, Severity severity, std::string subject, std::string what, std::string remedy) {
  return {.id = std::move(id),
          .severity = severity,
          .subject = std::move(subject),
          .what = std::move(what),
          .remedy = std::move(remedy)};
}

void look_at_network(const LogFacts& facts, std::vector<Finding>& findings) {
  const bool socket = facts.networks.count("Socket") > 0 || connections(facts, "NET/Socket", "") > 0;
  const auto& by_host = facts.networks_by_host;
  const bool differ = std::any_of(by_host.begin(), by_host.end(),
                                  [&](const auto& each) { return each.second != by_host.begin()->second; });
  const bool used = facts.ranks_by_host.size() > 1 || connections(facts, "NET/Socket", "") > 0;
  const bool wanted = setting(facts, "NCCL_IB_DISABLE") == "1" || setting(facts, "NCCL_NET") == "Socket";
  if (differ) {
    findings.push_back(found("log-networks-differ", Severity::error, fmt::format("{}", fmt::join(facts.networks, ", ")),
                             "hosts use different networks, so they cannot reach one another",
                             "(1) tutti doctor on all hosts; (2) NCCL_NET=IB makes those without it stop and say why"));
  } else if (socket && used && wanted) {
    findings.push_back(found("log-socket-wanted", Severity::note, "Socket",
                             "data goes over TCP sockets, as a setting asks",
                             "unset NCCL_IB_DISABLE and NCCL_NET where there is InfiniBand or RoCE"));
  } else if (socket && used) {
    findings.push_back(
        found("log-socket-fallback", Severity::warning, "Socket",
              "data goes over TCP sockets: no InfiniBand, RoCE or plug-in was found",
              "(1) ibstat: are ports active? (2) in containers: --device=/dev/infiniband and libibverbs; "
              "(3) clouds need their plug-in (aws-ofi-nccl, gIB); (4) NCCL_DEBUG_SUBSYS=INIT,NET tells "
              "why each was refused"));
  }
  const std::size_t direct = connections(facts, "NET", "GDRDMA");
  const std::size_t all = connections(facts, "NET/", "") - connections(facts, "NET/Socket", "");
  if (all > direct) {
    findings.push_back(
        found("log-gdr-off", Severity::warning, fmt::format("{} of {} connections", all - direct, all),
              "GPUDirect RDMA is not used: data goes through memory of the host",
              "(1) modprobe nvidia-peermem, or a driver with dma-buf; (2) ACS off, so that adapter and GPU "
              "reach one another below a PCIe switch; (3) NCCL_NET_GDR_LEVEL=PHB where they lie further "
              "apart; (4) tutti doctor"));
  }
}

void look_at_meeting(const LogFacts& facts, std::vector<Finding>& findings) {
  for (const std::string& place : facts.meeting) {
    const auto name = place.substr(0, place.find(':'));
    const bool loopback = name == "lo" || place.find(":127.") != std::string::npos;
    const bool bridge = name.starts_with("docker") || name.starts_with("virbr") || name.starts_with("br-") ||
                        name.starts_with("cni") || name.starts_with("veth");
    if ((!loopback && !bridge) || facts.ranks_by_host.size() < 2) continue;
    findings.push_back(found("log-wrong-interface", Severity::error, place,
                             "ranks of several hosts meet over an interface that leads nowhere else",
                             "NCCL_SOCKET_IFNAME=… with the interface between the hosts (ip -br addr), or ^docker,lo"));
  }
}

void look_at_ranks(const LogFacts& facts, std::vector<Finding>& findings) {
  if (facts.versions.size() > 1) {
    findings.push_back(found("log-versions", Severity::warning, fmt::format("{}", fmt::join(facts.versions, ", ")),
                             "the log shows several versions of NCCL",
                             "install one version on all hosts; several jobs in one file are harmless"));
  }
  std::vector<int> unfinished;
  std::set_difference(facts.started.begin(), facts.started.end(), facts.complete.begin(), facts.complete.end(),
                      std::back_inserter(unfinished));
  if (!unfinished.empty() && !facts.complete.empty()) {
    findings.push_back(found("log-init-incomplete", Severity::warning,
                             fmt::format("ranks {}", fmt::join(unfinished, ", ")),
                             "they began to connect and the log does not show that they finished",
                             "see what these ranks wait for: their last lines, and the hosts they are on"));
  }
  if (setting(facts, "NCCL_COLLNET_ENABLE") == "1" && !facts.collnet) {
    findings.push_back(found("log-collnet-unused", Severity::note, "NCCL_COLLNET_ENABLE=1",
                             "reductions in the network were asked for, and the log does not show them set up",
                             "(1) the SHARP plug-in must be found: LD_LIBRARY_PATH, NCCL_NET_PLUGIN; (2) one GPU per "
                             "host and rail, and as many hosts as NCCL_COLLNET_NODE_THRESHOLD; (3) sharp_am must run"));
  }
}

std::string_view word_of(std::string_view text) { return text.substr(0, text.find_first_of(" ,<(")); }

}  // namespace

std::vector<Finding> findings_of_facts(const LogFacts& facts) {
  std::vector<Finding> findings;
  look_at_network(facts, findings);
  look_at_meeting(facts, findings);
  look_at_ranks(facts, findings);
  return findings;
}

std::optional<std::string> decode_ib_error(std::string_view line, const LogFacts& facts) {
  if (line.find("status=12") == std::string_view::npos && line.find("error 12") == std::string_view::npos) return {};
  // Defaults of NCCL_IB_TIMEOUT by version: its user guide.
  long exponent = 20;
  if (!facts.versions.empty()) {
    const auto version = settings::parse_version(*facts.versions.begin()).value_or(settings::newest_nccl);
    exponent = version < settings::Version{2, 14, 0} ? 14 : version < settings::Version{2, 23, 0} ? 18 : 20;
  }
  exponent = settings::whole_number(setting(facts, "NCCL_IB_TIMEOUT").value_or("")).value_or(exponent);
  const long retries = settings::whole_number(setting(facts, "NCCL_IB_RETRY_CNT").value_or("7")).value_or(7);
  const auto peer = word_of(after(line, "from peer "));
  const auto hca = word_of(after(line, "hca "));
  const bool timed_out = line.find("vendor err 129") != std::string_view::npos;
  return fmt::format("a packet{}{} was sent {} times, {} apart, and never acknowledged (status 12{})",
                     peer.empty() ? "" : fmt::format(" to {}", peer), hca.empty() ? "" : fmt::format(" from {}", hca),
                     most_sends(retries), settings::ack_timeout(exponent),
                     timed_out ? "; vendor error 129 says that nothing came back at all" : "");
}

}  // namespace tutti::doctor
