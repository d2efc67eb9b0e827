/// @file  Rings, trees, connections and searches in an NCCL log.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

#include "topology/nccl_log.hpp"
#include "topology/pasted.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr int max_channels = 1024;
constexpr int max_ranks = 1 << 20;
constexpr std::size_t max_connections = 1'000'000;

/// A rank, or −1 for nobody; nothing when there is neither.
std::optional<int> take_rank(std::string_view& text) {
  if (take(text, "-1")) return -1;
  const int rank = take_number(text);
  if (rank < 0 || rank >= max_ranks) return {};
  return rank;
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

double take_real(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !(value >= 0 && value < 1e9)) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// The number that follows a word: number_after("nranks 8", "nranks ") is 8; −1 when there is none.
int number_after(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return -1;
  text.remove_prefix(at + word.size());
  return take_number(text);
}

/// "1/2/4->0->-1": children, rank, parent.
std::optional<LoggedTreeNode> take_downs_first(std::string_view& text) {
  LoggedTreeNode node;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto down = take_rank(text);
    if (!down) return {};
    node.down[i] = *down;
    if (!take(text, "/")) break;
  }
  const bool arrow = take(text, "->");
  const auto rank = arrow ? take_rank(text) : std::nullopt;
  if (!rank || *rank < 0 || !take(text, "->")) return {};
  const auto up = take_rank(text);
  if (!up) return {};
  node.rank = *rank;
  node.up = *up;
  return node;
}

PathClass search_class(std::string_view name) {
  if (name == "LOC") return PathClass::self;
  if (name == "NVL" || name == "NVB") return PathClass::nvlink;
  if (name == "PXN" || name == "P2C") return PathClass::pxb;
  return path_class_named(name).value_or(PathClass::none);
}

class Channels {
 public:
  explicit Channels(const std::vector<NcclLogLine>& lines) : lines_(lines) {}

  LoggedChannels read() {
    for (const NcclLogLine& line : lines_) {
      if (line.host.empty()) {
        from_program(line);
      } else {
        from_nccl(line);
      }
    }
    finish();
    return std::move(found_);
  }

 private:
  void note(const NcclLogLine& line, const std::string& what) {
    constexpr std::size_t most = 50;
    if (found_.notes.size() < most) found_.notes.push_back(fmt::format("line {}: {}", line.number, what));
  }

  void version(std::string_view text) {
    const auto at = text.find("NCCL version ");
    if (at == std::string_view::npos || !found_.version.empty()) return;
    const auto rest = text.substr(at + 13);
    if (rest.empty() || rest.front() < '0' || rest.front() > '9') return;  // prose about logs
    found_.version = rest.substr(0, rest.find_first_of(" \t"));
  }

  /// A row of nccl-tests ends in time, algorithm bandwidth, bus bandwidth and errors, twice.
  void from_program(const NcclLogLine& line) {
    version(line.text);
    const auto row = words(line.text);
    if (row.size() < 11 || row.size() > 14 || row[0].find_first_not_of("0123456789") != std::string_view::npos) return;
    for (const std::size_t back : {6U, 2U}) {
      std::string_view word = row[row.size() - back];
      const double rate = take_real(word);
      if (word.empty() && rate < 100'000) found_.best_bus_bandwidth = std::max(found_.best_bus_bandwidth, rate);
    }
  }

  void from_nccl(const NcclLogLine& line) {
    version(line.text);
    std::string_view text = line.text;
    if (found_.ranks == 0) {
      int ranks = number_after(text, " nranks ");
      if (ranks < 0) ranks = number_after(text, " nRanks ");
      if (ranks > 0 && ranks <= max_ranks) found_.ranks = ranks;
    }
    if (take(text, "Channel ") || take(text, "Ring ")) {
      channel(line, text);
    } else if (take(text, "Trees ")) {
      trees(text);
    } else if (take(text, "Tree ")) {
      tree(text);
    } else if (take(text, "Pattern ")) {
      search(line, text);
    } else {
      searched_channel(line, text);
    }
  }

  /// "00/08 : 0 7 6", "00 : 1[101d0] -> 8[101c0] [send] via NET/…", "00 : 3 -> 0 -> 1".
  void channel(const NcclLogLine& line, std::string_view text) {
    const int number = take_number(text);
    if (take(text, "/")) take_number(text);
    skip_blanks(text);
    if (number < 0 || number >= max_channels || !take(text, ":")) return;
    if (text.find("->") == std::string_view::npos) {
      ring(line, number, text);
    } else if (text.find('[') == std::string_view::npos) {
      neighbours(number, text);
    } else {
      connection(number, text);
    }
  }

  void ring(const NcclLogLine& line, int channel, std::string_view text) {
    std::vector<int> ranks;
    while (skip_blanks(text), !text.empty()) {
      const auto rank = take_rank(text);
      if (!rank || *rank < 0) return;
      ranks.push_back(*rank);
    }
    if (ranks.empty()) return;
    if (std::set<int>(ranks.begin(), ranks.end()).size() < ranks.size()) {
      note(line, fmt::format("the ring of channel {} visits a rank twice and is left out", channel));
      return;
    }
    if (found_.ranks > 0 && static_cast<int>(ranks.size()) != found_.ranks) {
      if (static_cast<int>(ranks.size()) > found_.ranks) {
        note(line,
             fmt::format("the ring of channel {} has {} ranks, but there are {}", channel, ranks.size(), found_.ranks));
      }
      return;  // of a part of the ranks
    }
    const auto [known, fresh] = found_.rings.emplace(channel, ranks);
    if (!fresh && known->second != ranks)
      note(line, fmt::format("a second ring of channel {}; the first counts", channel));
  }

  /// "3 -> 0 -> 1": what rank 0 knows of its ring.
  void neighbours(int channel, std::string_view text) {
    skip_blanks(text);
    const auto before = take_rank(text);
    skip_blanks(text);
    if (!before || !take(text, "->")) return;
    skip_blanks(text);
    const auto rank = take_rank(text);
    skip_blanks(text);
    if (!rank || !take(text, "->")) return;
    skip_blanks(text);
    const auto after = take_rank(text);
    if (*rank < 0 || !after || *after < 0) return;
    next_[channel].emplace(*rank, *after);
    if (*before >= 0) next_[channel].emplace(*before, *rank);
  }

  void connection(int channel, std::string_view text) {
    LoggedConnection link{.channel = channel};
    const auto end = [&](int& rank) {
      skip_blanks(text);
      const auto number = take_rank(text);
      if (!number || *number < 0 || !take(text, "[")) return false;
      rank = *number;
      const auto close = text.find(']');
      if (close == std::string_view::npos) return false;
      text.remove_prefix(close + 1);
      skip_blanks(text);
      return true;
    };
    if (!end(link.from) || !take(text, "->") || !end(link.to)) return;
    if (take(text, "[send]") || take(text, "[receive]")) skip_blanks(text);
    if (!take(text, "via ")) return;
    link.via = trim(text);
    if (found_.connections.size() >= max_connections) return;
    if (seen_.insert({channel, link.from, link.to}).second) found_.connections.push_back(std::move(link));
  }

  /// "[0] 1/8/-1->0->-1 [1] …"; older versions write both ways, with a bar between.
  void trees(std::string_view text) {
    while (skip_blanks(text), take(text, "[")) {
      const int channel = take_number(text);
      if (channel < 0 || channel >= max_channels || !take(text, "]")) return;
      skip_blanks(text);
      const auto node = take_downs_first(text);
      if (!node) return;
      add(channel, *node);
      if (take(text, "|")) text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
    }
  }

  /// "0 : -1 -> 0 -> 1/-1/-1": parent, rank, children.
  void tree(std::string_view text) {
    const int channel = take_number(text);
    skip_blanks(text);
    if (channel < 0 || channel >= max_channels || !take(text, ":")) return;
    LoggedTreeNode node;
    skip_blanks(text);
    const auto up = take_rank(text);
    skip_blanks(text);
    if (!up || !take(text, "->")) return;
    skip_blanks(text);
    const auto rank = take_rank(text);
    skip_blanks(text);
    if (!rank || *rank < 0 || !take(text, "->")) return;
    skip_blanks(text);
    node.up = *up;
    node.rank = *rank;
    for (int& down : node.down) {
      const auto child = take_rank(text);
      if (!child) break;
      down = *child;
      if (!take(text, "/")) break;
    }
    add(channel, node);
  }

  void add(int channel, const LoggedTreeNode& node) {
    if (found_.ranks > 0 && node.rank >= found_.ranks) return;
    nodes_[channel].emplace(node.rank, node);
  }

  /// "4, crossNic 0, nChannels 12, bw 20.0/20.0, type NVL/PIX, sameChannels 1"; once it was "speed" for "bw".
  void search(const NcclLogLine& line, std::string_view text) {
    LoggedSearch found{.host = std::string(line.host)};
    const int pattern = take_number(text);
    if (pattern < 1 || pattern > 6) return;
    found.graph.pattern = static_cast<NcclPattern>(pattern);
    found.channels = std::max(number_after(text, "nChannels "), 0);
    auto at = text.find("bw ");
    std::size_t length = 3;
    if (at == std::string_view::npos) {
      at = text.find("speed ");
      length = 6;
    }
    if (at == std::string_view::npos || found.channels > max_channels) return;
    auto rest = text.substr(at + length);
    const double intra = take_real(rest);
    const double inter = take(rest, "/") ? take_real(rest) : intra;
    if (intra < 0 || inter < 0) return;
    found.graph.intra_bandwidth = intra;
    found.graph.inter_bandwidth = inter;
    if (at = text.find("type "); at != std::string_view::npos) {
      const auto type = text.substr(at + 5, text.find(',', at) - at - 5);
      const auto slash = type.find('/');
      found.graph.intra_class = search_class(type.substr(0, slash));
      if (slash != std::string_view::npos) found.graph.inter_class = search_class(type.substr(slash + 1));
    }
    open_[{line.host, line.pid, line.thread}] = -1;
    for (const LoggedSearch& known : found_.searches) {
      if (known.host == found.host && known.graph.pattern == found.graph.pattern) return;  // another rank says the same
    }
    open_[{line.host, line.pid, line.thread}] = static_cast<int>(found_.searches.size());
    found_.searches.push_back(std::move(found));
  }

  /// " 0 : NET/0 GPU/0 GPU/1 NET/0", below its pattern. GPUs are ranks, or bus ids after a number of the host.
  void searched_channel(const NcclLogLine& line, std::string_view text) {
    const auto open = open_.find({line.host, line.pid, line.thread});
    if (open == open_.end()) return;
    const int number = take_number(text);
    skip_blanks(text);
    if (number < 0 || !take(text, ":")) {
      open_.erase(open);
      return;
    }
    if (open->second < 0) return;
    std::vector<NcclHop> hops;
    for (const auto word : words(text)) {
      const auto slash = word.find('/');
      if (slash == std::string_view::npos) return;
      const auto kind = word.substr(0, slash);
      if (kind != "GPU" && kind != "NET") continue;
      auto id = word.substr(slash + 1);
      NcclHop hop{.is_gpu = kind == "GPU", .index = -1};
      const auto dash = id.find('-');
      if (dash == std::string_view::npos) {
        (hop.is_gpu ? hop.rank : hop.index) = take_number(id);
      } else if (!hop.is_gpu) {
        id.remove_prefix(dash + 1);
        hop.index = take_number(id);
      }
      hops.push_back(hop);
    }
    auto& graph = found_.searches[static_cast<std::size_t>(open->second)].graph;
    if (!hops.empty() && graph.channels.size() < max_channels) graph.channels.push_back(std::move(hops));
  }

  void finish() {
    for (const auto& [channel, next] : next_) {
      if (found_.rings.contains(channel)) continue;
      std::vector<int> ring{next.begin()->first};
      while (ring.size() <= next.size()) {
        const auto after = next.find(ring.back());
        if (after == next.end() || after->second == ring.front()) break;
        ring.push_back(after->second);
      }
      const auto closing = next.find(ring.back());
      const bool closed = closing != next.end() && closing->second == ring.front() && ring.size() == next.size();
      if (closed && (found_.ranks == 0 || static_cast<int>(ring.size()) == found_.ranks))
        found_.rings.emplace(channel, ring);
    }
    for (const auto& [channel, nodes] : nodes_) {
      for (const auto& [rank, node] : nodes) found_.trees[channel].push_back(node);
    }
  }

  const std::vector<NcclLogLine>& lines_;
  LoggedChannels found_;
  std::set<std::tuple<int, int, int>> seen_;
  std::map<int, std::map<int, int>> next_;
  std::map<int, std::map<int, LoggedTreeNode>> nodes_;
  std::map<std::tuple<std::string_view, long, long>, int> open_;  ///< the search that a thread is printing
};

}  // namespace

double LoggedChannels::planned_bandwidth(bool ring) const {
  double best = 0;
  for (const LoggedSearch& search : searches) {
    const bool tree = search.graph.pattern == NcclPattern::balanced_tree ||
                      search.graph.pattern == NcclPattern::split_tree || search.graph.pattern == NcclPattern::tree;
    if (ring ? search.graph.pattern == NcclPattern::ring : tree) {
      best = std::max(best, search.channels * search.graph.intra_bandwidth);
    }
  }
  return best;
}

LoggedChannels logged_channels(const std::vector<NcclLogLine>& lines) { return Channels(lines).read(); }
LoggedChannels logged_channels(std::string_view text) { return logged_channels(nccl_log_lines(text)); }

}  // namespace tutti
