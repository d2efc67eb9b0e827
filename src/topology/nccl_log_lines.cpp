#include "topology/nccl_log_lines.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "topology/text.hpp"

namespace tutti {

namespace {

/// Takes a decimal number off the front.
std::optional<long> take_digits(std::string_view& text) {
  long value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

constexpr int most_ranks = 1 << 24;

int rank_of(std::optional<long> number) { return number && *number < most_ranks ? static_cast<int>(*number) : -1; }

/// "[1,3]<stdout>:", "[job@1,3]<stderr>: ", "[rank3]:", "[default3]:", "[3] ", "  3: ": the rank, and what follows.
/// Time stamps in brackets are left.
int take_label(std::string_view& text) {
  std::string_view rest = trim(text);
  if (take(rest, "[")) {
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return -1;
    std::string_view inside = rest.substr(0, close);
    rest.remove_prefix(close + 1);
    const bool open_mpi = take(rest, "<stdout>:") || take(rest, "<stderr>:") || take(rest, "<stddiag>:");
    if (open_mpi) inside = inside.substr(std::min(inside.find_last_of(",@") + 1, inside.size()));
    const bool torch = !open_mpi && (take(inside, "rank") || take(inside, "default"));
    const int rank = rank_of(take_digits(inside));
    if (rank < 0 || !inside.empty()) return -1;
    if (torch) take(rest, ":");
    text = rest;
    return rank;
  }
  const int rank = rank_of(take_digits(rest));
  if (rank < 0 || (rest != ":" && !take(rest, ": "))) return -1;
  text = rest == ":" ? std::string_view{} : rest;
  return rank;
}

/// "host:pid:tid" → its parts. Hosts may be IPv6 addresses, so the numbers are looked for from the end.
bool split_origin(std::string_view origin, NcclLogLine& line) {
  const auto second = origin.rfind(':');
  if (second == std::string_view::npos || second == 0) return false;
  const auto first = origin.rfind(':', second - 1);
  if (first == std::string_view::npos || first == 0) return false;
  std::string_view pid = origin.substr(first + 1, second - first - 1);
  std::string_view thread = origin.substr(second + 1);
  const auto a = take_digits(pid);
  const auto b = take_digits(thread);
  if (!a || !b || !pid.empty() || !thread.empty()) return false;
  line.host = origin.substr(0, first);
  line.pid = *a;
  line.thread = *b;
  return true;
}

/// The word that ends at the end of `text`, taken off together with the blanks before it.
std::string_view take_last_word(std::string_view& text) {
  text = trim(text);
  const auto blank = text.find_last_of(" \t");
  const auto word = blank == std::string_view::npos ? text : text.substr(blank + 1);
  text.remove_suffix(word.size());
  return word;
}

/// What stands before "NCCL INFO": launcher, time stamp, origin, device, file.
bool split_header(std::string_view header, NcclLogLine& line) {
  for (int words = 0; words < 4; ++words) {
    std::string_view word = take_last_word(header);
    if (word.empty()) return false;
    if (word.starts_with('[') && word.ends_with(']')) {
      std::string_view inside = word.substr(1, word.size() - 2);
      const auto device = take_digits(inside);
      if (device && inside.empty()) line.device = rank_of(device);
    } else {
      // Launchers may leave no blank between their prefix and the host.
      std::string_view whole = word;
      if (const int rank = take_label(word); rank >= 0) line.rank = rank;
      if (split_origin(word, line)) break;
      if (!line.file.empty()) return false;
      line.file = whole;
    }
  }
  if (line.host.empty()) return false;
  if (const int rank = take_label(header); rank >= 0) line.rank = rank;
  header = trim(header);
  if (header.starts_with('[') && header.ends_with(']')) header = header.substr(1, header.size() - 2);
  line.time = header;
  // A stamp may stand right before the host: "[2026-05-05 06:16:47]node:1:1".
  if (const auto close = line.host.rfind(']'); close != std::string_view::npos) line.host.remove_prefix(close + 1);
  return true;
}

/// The line as NCCL writes it; false when it is somebody else's.
bool split_nccl(std::string_view text, NcclLogLine& line) {
  for (auto at = text.find("NCCL "); at != std::string_view::npos; at = text.find("NCCL ", at + 1)) {
    std::string_view rest = text.substr(at + 5);
    const auto level = rest.substr(0, rest.find(' '));
    if (level != "INFO" && level != "WARN" && level != "TRACE" && level != "CALL" && level != "ABORT") continue;
    NcclLogLine split = line;
    if (!split_header(text.substr(0, at), split)) continue;
    split.level = level;
    split.text = trim(rest.substr(level.size()));
    line = split;
    return true;
  }
  return false;
}

/// "… rank 3 nranks 8 …" → 3.
int stated_rank(std::string_view text) {
  const auto at = text.find(" rank ");
  if (at == std::string_view::npos) return -1;
  std::string_view rest = text.substr(at + 6);
  const int rank = rank_of(take_digits(rest));
  return rest.starts_with(" nranks ") || rest.starts_with(" nRanks ") ? rank : -1;
}

}  // namespace

std::vector<NcclLogLine> nccl_log_lines(std::string_view text) {
  std::vector<NcclLogLine> lines;
  std::map<std::tuple<std::string_view, long, int>, int> ranks;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    NcclLogLine line{.number = number};
    if (!split_nccl(whole, line)) {
      std::string_view rest = whole;
      line.rank = take_label(rest);
      line.text = trim(rest);
    }
    if (line.text.empty()) continue;
    if (const int rank = line.host.empty() ? -1 : stated_rank(line.text); rank >= 0) {
      // The first communicator is the whole job's; later ones may be parts of it.
      ranks.emplace(std::tuple{line.host, line.pid, line.device}, line.rank >= 0 ? line.rank : rank);
    }
    lines.push_back(line);
  }
  for (NcclLogLine& line : lines) {
    if (line.rank >= 0 || line.host.empty()) continue;
    const auto found = ranks.find({line.host, line.pid, line.device});
    if (found != ranks.end()) line.rank = found->second;
  }
  return lines;
}

}  // namespace tutti
