#include "topology/host_list.hpp"

#include <charconv>
#include <vector>

namespace tutti {

namespace {

constexpr std::size_t max_digits = 12;

/// "001-128": numbers with the width that the first was written in.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::size_t width = 0;
  std::int64_t count() const { return last - first + 1; }
};

/// Text, then one of the numbers; the last piece of a name may have text only.
struct Piece {
  std::string_view text{};
  std::vector<Range> ranges{};
  std::int64_t count() const {
    std::int64_t sum = 0;
    for (const Range& range : ranges) sum += range.count();
    return ranges.empty() ? 1 : sum;
  }
};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= max_digits && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Range> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = text.substr(0, dash);
  const auto last = dash == std::string_view::npos ? first : text.substr(dash + 1);
  if (!is_number(first) || !is_number(last)) return {};
  Range range{.width = first.size()};
  std::from_chars(first.data(), first.data() + first.size(), range.first);
  std::from_chars(last.data(), last.data() + last.size(), range.last);
  if (range.last < range.first || range.last - range.first >= max_hosts) return {};
  return range;
}

bool parse_ranges(std::string_view text, std::vector<Range>& ranges) {
  while (true) {
    const auto comma = text.find(',');
    const auto range = parse_range(text.substr(0, comma));
    if (!range) return false;
    ranges.push_back(*range);
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

/// The pieces of the name at the front of `list`, which moves behind it and its comma.
std::optional<std::vector<Piece>> take_name(std::string_view& list) {
  std::vector<Piece> pieces;
  std::size_t start = 0;
  std::size_t at = 0;
  for (; at < list.size() && list[at] != ','; ++at) {
    if (static_cast<unsigned char>(list[at]) <= ' ' || list[at] == ']') return {};
    if (list[at] != '[') continue;
    const auto close = list.find(']', at);
    if (close == std::string_view::npos) return {};
    Piece piece{.text = list.substr(start, at - start)};
    if (!parse_ranges(list.substr(at + 1, close - at - 1), piece.ranges)) return {};
    pieces.push_back(std::move(piece));
    start = close + 1;
    at = close;
  }
  if (at > start) pieces.push_back({.text = list.substr(start, at - start)});
  if (pieces.empty()) return {};
  const bool more = at < list.size();
  list.remove_prefix(more ? at + 1 : at);
  if (more && list.empty()) return {};  // ends in a comma
  return pieces;
}

std::optional<std::int64_t> count_of(const std::vector<Piece>& pieces) {
  std::int64_t product = 1;
  for (const Piece& piece : pieces) {
    const auto count = piece.count();
    if (count > max_hosts || product > max_hosts / count) return {};
    product *= count;
  }
  return product;
}

void spell(const std::vector<Piece>& pieces, std::size_t next, std::string& name,
           const std::function<void(const std::string&)>& visit) {
  if (next == pieces.size()) return visit(name);
  const auto length = name.size();
  const Piece& piece = pieces[next];
  name += piece.text;
  if (piece.ranges.empty()) spell(pieces, next + 1, name, visit);
  for (const Range& range : piece.ranges) {
    for (std::int64_t i = range.first; i <= range.last; ++i) {
      const auto digits = std::to_string(i);
      const auto before = name.size();
      if (digits.size() < range.width) name.append(range.width - digits.size(), '0');
      name += digits;
      spell(pieces, next + 1, name, visit);
      name.resize(before);
    }
  }
  name.resize(length);
}

std::optional<std::vector<std::vector<Piece>>> parse(std::string_view list, std::int64_t& count) {
  std::vector<std::vector<Piece>> names;
  count = 0;
  if (list.empty()) return {};
  while (!list.empty()) {
    auto pieces = take_name(list);
    if (!pieces || pieces->size() > 16) return {};
    const auto more = count_of(*pieces);
    if (!more || count + *more > max_hosts) return {};
    count += *more;
    names.push_back(std::move(*pieces));
  }
  return names;
}

}  // namespace

std::optional<std::int64_t> count_hosts(std::string_view list) {
  std::int64_t count = 0;
  if (!parse(list, count)) return {};
  return count;
}

bool for_each_host(std::string_view list, const std::function<void(const std::string&)>& visit) {
  std::int64_t count = 0;
  const auto names = parse(list, count);
  if (!names) return false;
  std::string name;
  for (const auto& pieces : *names) spell(pieces, 0, name, visit);
  return true;
}

}  // namespace tutti
