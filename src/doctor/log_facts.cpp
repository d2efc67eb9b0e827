#include "doctor/log_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "topology/text.hpp"

namespace tutti::doctor {

namespace {

using View = std::string_view;

std::optional<int> number(View text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{}) return {};
  return value;
}

/// What follows `start`, wherever it stands; empty when it does not.
View word(View text) {
  const auto first = text.find_first_not_of(' ');
  if (first == View::npos) return {};
  text.remove_prefix(first);
  return text.substr(0, text.find(' '));
}

/// "eth0:10.0.92.140<0>" → "eth0:10.0.92.140".
std::string without_port(View text) { return std::string(text.substr(0, text.find('<'))); }

/// "Channel 00/08 : 0 7 6 5" with nothing but ranks: a ring.
void read_ring(View text, LogFacts& facts) {
  const auto channel = number(text);
  View list = after(text, ": ");
  if (!channel || *channel < 0 || *channel >= 256 || list.find_first_not_of("0123456789 ") != View::npos) return;
  std::vector<int> ring;
  while (!word(list).empty()) {
    const View rank = word(list);
    if (const auto value = number(rank)) ring.push_back(*value);
    list = list.substr(static_cast<std::size_t>(rank.data() + rank.size() - list.data()));
  }
  if (ring.size() > 1) facts.rings.emplace(*channel, std::move(ring));
}

/// "P2P/IPC/read" stays; "NET/IB/0/GDRDMA" loses the adapter's number.
std::string transport(View via) {
  std::string kind;
  while (!via.empty()) {
    const auto slash = std::min(via.find('/'), via.size());
    const View part = via.substr(0, slash);
    via.remove_prefix(std::min(slash + 1, via.size()));
    if (part.find_first_not_of("0123456789") == View::npos || part.starts_with("Shared") || part.starts_with('('))
      continue;
    // Newer versions append the ports: "NET/IB/0(3)/GDRDMA".
    const View name = part.substr(0, part.find('('));
    if (name.find_first_not_of("0123456789") == View::npos) continue;
    kind += (kind.empty() ? "" : "/") + std::string(name);
  }
  return kind;
}

/// "0[0] -> 1[1] [send] via NET/Socket/0".
void read_connection(View text, LogFacts& facts) {
  if (text.find("[receive]") != View::npos) return;  // the sender says it too
  const View via = after(text, " via ");
  if (via.empty() || text.find("->") == View::npos) return;
  auto end = via.find(" comm ");
  ++facts.transports[transport(via.substr(0, end))];
}

void read_adapters(View text, LogFacts& facts) {
  for (View rest = text; !rest.empty();) {
    const auto open = rest.find('[');
    const auto close = rest.find(']');
    if (open == View::npos || close == View::npos || close < open) return;
    const View name = word(rest.substr(close + 1));
    if (number(rest.substr(open + 1)) && !name.empty()) facts.adapters.insert(without_port(name));
    rest = rest.substr(close + 1);
  }
}

constexpr std::array<View, 7> algorithms = {"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
constexpr std::array<View, 3> protocols = {"LL", "LL128", "Simple"};

template <class Names>
std::string choice_name(View text, const Names& names) {
  const auto index = number(text);
  if (index && *index >= 0 && static_cast<std::size_t>(*index) < names.size()) {
    return std::string(names[static_cast<std::size_t>(*index)]);
  }
  for (const View name : names) {
    if (std::equal(name.begin(), name.end(), text.begin(), text.end(),
                   [](unsigned char a, unsigned char b) { return std::toupper(a) == std::toupper(b); })) {
      return std::string(name);
    }
  }
  return std::string(text);
}

/// "AllReduce: 33554432 Bytes -> Algo RING proto SIMPLE …", also with numbers.
void read_choice(View text, LogFacts& facts) {
  const View algorithm = word(after(text, "Algo "));
  const View protocol = word(after(text, "proto "));
  if (algorithm.empty() || protocol.empty()) return;
  const View collective = text.substr(0, text.find(':'));
  ++facts.choices[std::string(collective) + " by " + choice_name(algorithm, algorithms) + " with " +
                  choice_name(protocol, protocols)];
}

/// "NCCL_X set by environment to 1." and the like.
void read_setting(const NcclLogLine& line, LogFacts& facts) {
  const auto at = line.text.find(" set by environment to ");
  if (at == View::npos) return;
  const View before = line.text.substr(0, at);
  const View name = before.substr(before.find_last_of(' ') + 1);
  View value = line.text.substr(at + 23);
  if (value.ends_with('.')) value.remove_suffix(1);
  if (!name.starts_with("NCCL_")) return;
  auto& settings = facts.settings[line.rank];
  const bool known = std::any_of(settings.begin(), settings.end(), [&](const auto& each) { return each.name == name; });
  if (!known) settings.push_back({std::string(name), std::string(value), line.number});
}

void read_version(View text, LogFacts& facts) {
  const View version = word(after(text, "NCCL version "));
  if (!version.empty() && version.front() >= '0' && version.front() <= '9') facts.versions.insert(std::string(version));
}

void read_init(const NcclLogLine& line, LogFacts& facts) {
  const View text = line.text;
  const View ranks = text.find(" nranks ") != View::npos ? after(text, " nranks ") : after(text, " nRanks ");
  if (!ranks.empty() && text.find("comm ") != View::npos)
    facts.ranks = std::max(facts.ranks, number(ranks).value_or(0));
  facts.hosts = std::max(facts.hosts, number(after(text, " nNodes ")).value_or(0));
  const auto rank = number(after(text, " rank "));
  if (!rank) return;
  if (text.ends_with("Init START")) facts.started.insert(*rank);
  if (text.ends_with("Init COMPLETE")) facts.complete.insert(*rank);
}

void read_network(const NcclLogLine& line, LogFacts& facts) {
  const View text = line.text;
  if (text.starts_with("Bootstrap") && !after(text, "Using ").empty()) {
    View name = word(after(text, "Using "));
    if (name.starts_with('[')) name.remove_prefix(std::min(name.find(']') + 1, name.size()));
    facts.meeting.insert(without_port(name));
  }
  if (text.starts_with("Using network ")) {
    facts.networks.insert(std::string(text.substr(14)));
    facts.networks_by_host[std::string(line.host)].insert(std::string(text.substr(14)));
  }
  if (text.starts_with("NET/") && !after(text, "Using [").empty())
    read_adapters(text.substr(text.find("Using [")), facts);
  if (const View file = after(text, "NCCL_TOPO_FILE environment variable to "); !file.empty()) {
    facts.topology_files.insert(std::string(file));
  }
  if (const View file = after(text, "NCCL_TOPO_FILE set by environment to "); !file.empty()) {
    facts.topology_files.insert(std::string(file));
  }
}

void read_nccl_line(const NcclLogLine& line, LogFacts& facts) {
  const View text = line.text;
  ++facts.nccl_lines;
  facts.ranks_by_host[std::string(line.host)].insert(line.rank);
  read_version(text, facts);
  read_init(line, facts);
  read_network(line, facts);
  read_setting(line, facts);
  if (text.starts_with("Channel ")) {
    read_ring(text.substr(8), facts);
    read_connection(text, facts);
  }
  if (text.starts_with("Trees [") || text.starts_with("Tree ")) facts.trees = true;
  if (text.find("Algo ") != View::npos && text.find("Bytes") != View::npos) read_choice(text, facts);
  if (text.find("Created Multicast group") != View::npos || text.find("NVLS comm ") == 0) facts.nvls = true;
  if (text.find("Connected all collnet") != View::npos || text.find("CollNet channels") != View::npos ||
      text.find("COLLNET") == 0) {
    facts.collnet = true;
  }
  if (const auto at = text.find(" coll channels"); at != View::npos) facts.channels = number(text).value_or(0);
}

}  // namespace

LogFacts read_log_facts(std::span<const NcclLogLine> lines) {
  LogFacts facts;
  for (const NcclLogLine& line : lines) {
    if (!line.host.empty()) {
      read_nccl_line(line, facts);
      continue;
    }
    if (line.text.starts_with("NCCL version ")) read_version(line.text, facts);
    if (line.text.starts_with("# Avg bus bandwidth")) facts.bandwidth = std::string(word(after(line.text, ":")));
  }
  facts.channels = std::max(facts.channels, facts.rings.empty() ? 0 : facts.rings.rbegin()->first + 1);
  return facts;
}

}  // namespace tutti::doctor
