#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "doctor/log_facts.hpp"

namespace tutti::doctor {

namespace {

/// At most `most` of them, and how many more there are.
template <class Names>
std::string some(const Names& names, std::size_t most) {
  std::string text;
  std::size_t count = 0;
  for (const auto& each : names) {
    if (count++ == most) return fmt::format("{} and {} more", text, names.size() - most);
    text += (text.empty() ? "" : ", ") + fmt::format("{}", each);
  }
  return text;
}

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string explain_transport(const std::string& kind) {
  if (kind.starts_with("P2P")) {
    return kind.find("indirect") != std::string::npos ? "through a third GPU" : "GPU to GPU, directly";
  }
  if (kind.starts_with("SHM")) return "through memory of the host";
  if (kind.starts_with("NVLS")) return "through NVSwitch";
  if (kind.starts_with("COLLNET") || kind.starts_with("COLL")) return "reduced in the network";
  if (kind.starts_with("NET/Socket")) return "TCP sockets";
  if (kind.starts_with("NET") && kind.find("GDRDMA") != std::string::npos) return "the network, to and from GPU memory";
  if (kind.starts_with("NET")) return "the network, through memory of the host";
  return "another way";
}

}  // namespace

std::vector<std::string> tell(const LogFacts& facts) {
  std::vector<std::string> story;
  if (facts.nccl_lines == 0) return {"no line of NCCL is in it; was NCCL_DEBUG=INFO set?"};
  std::vector<std::string> hosts;
  for (const auto& [host, ranks] : facts.ranks_by_host) hosts.push_back(host);
  const std::size_t count = std::max(hosts.size(), static_cast<std::size_t>(std::max(facts.hosts, 0)));
  story.push_back(
      fmt::format("NCCL {}, {}on {}{}: {}", facts.versions.empty() ? "of unknown version" : some(facts.versions, 3),
                  facts.ranks > 0 ? plural(static_cast<std::size_t>(facts.ranks), "rank") + " " : "",
                  plural(count, "host"), count > hosts.size() ? ", of which the log shows" : "", some(hosts, 4)));
  if (!facts.meeting.empty()) story.push_back("ranks met over " + some(facts.meeting, 4));
  if (!facts.networks.empty()) story.push_back("network: " + some(facts.networks, 3));
  if (!facts.adapters.empty()) story.push_back("adapters: " + some(facts.adapters, 16));
  if (!facts.topology_files.empty()) story.push_back("the machine was described by " + some(facts.topology_files, 2));
  if (facts.channels > 0) {
    std::string text = plural(static_cast<std::size_t>(facts.channels), "channel");
    if (!facts.rings.empty()) {
      const auto& [channel, ring] = *facts.rings.begin();
      text += fmt::format("; ring {}: {}", channel, some(ring, 32));
    }
    if (facts.trees) text += "; trees were built too";
    story.push_back(text);
  } else if (facts.trees) {
    story.push_back("rings and trees were built");
  }
  if (facts.nvls) story.push_back("NVLS: reductions in NVSwitch were set up");
  if (facts.collnet) story.push_back("CollNet: reductions in the network were set up");
  for (const auto& [kind, count] : facts.transports) {
    story.push_back(fmt::format("{} by {}: {}", plural(count, "connection"), kind, explain_transport(kind)));
  }
  for (const auto& [choice, count] : facts.choices)
    story.push_back(fmt::format("{}, {}", choice, plural(count, "call")));
  if (facts.choices.empty()) {
    story.push_back("which algorithm each call took is not in it: NCCL_DEBUG_SUBSYS=INIT,NET,TUNING would tell");
  }
  if (!facts.settings.empty()) {
    std::vector<std::string> settings;
    for (const auto& [rank, each] : facts.settings) {
      for (const LogSetting& setting : each) {
        std::string text = setting.name + "=" + setting.value;
        if (std::find(settings.begin(), settings.end(), text) == settings.end()) settings.push_back(std::move(text));
      }
    }
    story.push_back("settings: " + some(settings, 12));
  }
  if (!facts.bandwidth.empty())
    story.push_back(fmt::format("nccl-tests: {} GB/s of bus bandwidth on average", facts.bandwidth));
  return story;
}

}  // namespace tutti::doctor
