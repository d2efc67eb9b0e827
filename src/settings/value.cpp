#include "settings/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/nearest.hpp"
#include "base/whole_number.hpp"
#include "topology/cpu_list.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::settings {

namespace {

Finding wrong(std::string what, std::string remedy, Severity severity = Severity::error) {
  return {.id = "env-value", .severity = severity, .what = std::move(what), .remedy = std::move(remedy)};
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// The word that is nearest, whatever the capitals.
std::string_view nearest_word(std::string_view word, const std::vector<std::string_view>& words) {
  return *std::min_element(words.begin(), words.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(upper(word), upper(a)) < edit_distance(upper(word), upper(b));
  });
}

/// "int 0..7 ms" → its parts; absent bounds are wide open.
struct Range {
  long least = std::numeric_limits<long>::min();
  long most = std::numeric_limits<long>::max();
  std::string_view unit{};
};

Range range_of(std::string_view kind) {
  Range range;
  const auto words = parts_of(kind, ' ');
  if (words.size() > 2) range.unit = words[2];
  if (words.size() < 2) return range;
  const auto dots = words[1].find("..");
  range.least = whole_number(words[1].substr(0, dots)).value_or(range.least);
  range.most = whole_number(words[1].substr(dots + 2)).value_or(range.most);
  return range;
}

std::string shown(const Range& range) {
  const bool below = range.least != std::numeric_limits<long>::min();
  const bool above = range.most != std::numeric_limits<long>::max();
  std::string text = "a whole number";
  if (below && above) text = fmt::format("{} to {}", range.least, range.most);
  if (below && !above) text = fmt::format("{} or more", range.least);
  if (range.unit == "ms") text += " milliseconds";
  if (range.unit == "s") text += " seconds";
  if (range.unit == "ns") text += " nanoseconds";
  return text;
}

/// "4M", "500ms": how many digits stand before the letters; 0 when it is no number with a unit.
std::size_t digits_before_unit(std::string_view value) {
  const auto end = value.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos) return 0;
  return std::isalpha(static_cast<unsigned char>(value[end])) != 0 ? end : 0;
}

std::optional<Finding> check_number(const Variable& variable, const std::string& value) {
  const Range range = range_of(variable.kind);
  const auto number = whole_number(value);
  if (!number) {
    if (const auto digits = digits_before_unit(value); digits > 0) {
      Finding finding = wrong(fmt::format("it takes {}, without a unit", shown(range)),
                              fmt::format("{}={}, in the unit that it has", variable.name, value.substr(0, digits)));
      finding.id = "env-unit";
      return finding;
    }
    return wrong(fmt::format("\"{}\" is no whole number", value), fmt::format("{}=N, {}", variable.name, shown(range)));
  }
  if (*number >= range.least && *number <= range.most) return {};
  Finding finding = wrong(fmt::format("{} is outside of what it takes: {}", *number, shown(range)),
                          fmt::format("{}={}", variable.name, std::clamp(*number, range.least, range.most)));
  finding.id = "env-range";
  return finding;
}

std::optional<Finding> check_flag(const Variable& variable, const std::string& value) {
  static const std::vector<std::string_view> yes = {"true", "yes", "on", "y", "enable", "enabled"};
  static const std::vector<std::string_view> no = {"false", "no", "off", "n", "disable", "disabled"};
  const auto is_in = [&](const std::vector<std::string_view>& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return same_word(word, value); });
  };
  const bool positive = is_in(yes);
  if (!positive && !is_in(no)) {
    const auto number = whole_number(value);
    if (!number) return wrong(fmt::format("\"{}\" is neither 0 nor 1", value), fmt::format("{}=1", variable.name));
    if (*number == 0 || *number == 1) return {};
    Finding finding = wrong(fmt::format("{} is neither 0 nor 1", *number), fmt::format("{}=1", variable.name),
                            variable.owner == "NCCL" ? Severity::note : Severity::error);
    finding.id = "env-range";
    return finding;
  }
  if (variable.owner != "NCCL") return {};
  return wrong(
      fmt::format("NCCL reads numbers, and \"{}\" as 0{}", value, positive ? ": the opposite of what is meant" : ""),
      fmt::format("{}={}", variable.name, positive ? 1 : 0), positive ? Severity::error : Severity::warning);
}

std::optional<Finding> check_bytes(const Variable& variable, const std::string& value) {
  const auto number = whole_number(value);
  if (!number || *number < 0) {
    std::string remedy = fmt::format("{}=N, in bytes", variable.name);
    std::string what = fmt::format("\"{}\" is no number of bytes", value);
    Finding finding = wrong("", "");
    if (digits_before_unit(value) > 0) {
      finding.id = "env-unit";
      what = "it takes a number of bytes, without a unit; the letters are not read";
      try {
        remedy = fmt::format("{}={}", variable.name, parse_bytes(value));
      } catch (const Error&) {
        what = fmt::format("\"{}\" is no number of bytes", value);
      }
    }
    finding.what = what;
    finding.remedy = remedy;
    return finding;
  }
  if (variable.kind == "bytes" && *number > 0 && *number < 1024) {
    Finding finding = wrong(fmt::format("{} bytes are too few; it counts bytes, not KiB or MiB", *number),
                            fmt::format("{}={}", variable.name, *number << 20), Severity::warning);
    finding.id = "env-unit";
    return finding;
  }
  return {};
}

/// Words out of a list; `many` by commas, with ^ in front for all but these.
std::optional<Finding> check_words(const Variable& variable, std::string_view value,
                                   const std::vector<std::string_view>& words, bool many) {
  std::string_view list = value;
  if (many && list.starts_with('^')) list.remove_prefix(1);
  for (const std::string_view part : many ? parts_of(list, ',') : std::vector<std::string_view>{list}) {
    const bool known = std::any_of(words.begin(), words.end(), [&](auto word) { return same_word(word, part); });
    if (known) continue;
    const auto near = nearest_word(part, words);
    const bool meant = edit_distance(upper(near), upper(part)) <= 2;
    return wrong(fmt::format("it does not know \"{}\"; there are {}", part, fmt::join(words, ", ")),
                 meant && !many ? fmt::format("{}={}", variable.name, near)
                                : fmt::format("{} in place of {}", meant ? near : "one of them", part));
  }
  return {};
}

/// NCCL_ALGO and NCCL_PROTO: since 2.24 "function:list;function:list", and what is unknown is an error.
std::optional<Finding> check_choice(const Variable& variable, const std::string& value, Version nccl) {
  static const std::vector<std::string_view> algorithms = {"Ring",     "Tree", "CollNetDirect", "CollNetChain", "NVLS",
                                                           "NVLSTree", "PAT"};
  static const std::vector<std::string_view> older = {"CollNet"};  // one name before 2.14
  static const std::vector<std::string_view> protocols = {"LL", "LL128", "Simple"};
  const auto& words = variable.kind == "algorithms" ? algorithms : protocols;
  for (std::string_view part : parts_of(value, ';')) {
    if (const auto colon = part.find(':'); colon != std::string_view::npos) {
      if (nccl < Version{2, 24, 0}) {
        return wrong(fmt::format("a choice for one collective is understood from 2.24 on, not by {}", format(nccl)),
                     fmt::format("{}={}", variable.name, part.substr(colon + 1)));
      }
      part.remove_prefix(colon + 1);
    }
    if (same_word(part, older.front()) && variable.kind == "algorithms" && nccl < Version{2, 14, 0}) continue;
    if (auto finding = check_words(variable, part, words, true)) {
      finding->what += nccl < Version{2, 24, 0} ? "; before 2.24 Ring is taken without a word" : "; NCCL stops";
      if (nccl < Version{2, 24, 0}) finding->severity = Severity::warning;
      return finding;
    }
  }
  return {};
}

std::optional<Finding> check_endpoint(const Variable& variable, const std::string& value) {
  const auto colon = value.rfind(':');
  const long port = colon == std::string::npos ? -1 : whole_number(value.substr(colon + 1)).value_or(-1);
  if (port >= 0 && port <= 65'535 && colon > 0) return {};
  return wrong(fmt::format("\"{}\" is no host:port", value), fmt::format("{}=host:28028", variable.name));
}

std::optional<Finding> check_range_of_addresses(const Variable& variable, const std::string& value) {
  const auto slash = value.find('/');
  const long bits = slash == std::string::npos ? -1 : whole_number(value.substr(slash + 1)).value_or(-1);
  const bool address = value.substr(0, slash).find_first_not_of("0123456789abcdefABCDEF.:") == std::string::npos;
  if (address && bits >= 0 && bits <= 128 && slash > 0) return {};
  return wrong(fmt::format("\"{}\" is no range of addresses", value), fmt::format("{}=10.1.0.0/16", variable.name));
}

std::optional<Finding> check_duration(const Variable& variable, const std::string& value) {
  try {
    parse_duration(value, variable.name);
    return {};
  } catch (const Error& error) {
    Finding finding = wrong(error.reason(), fmt::format("{}=90s; also ms, min, h", variable.name));
    finding.id = "env-unit";
    return finding;
  }
}

}  // namespace

std::optional<long> whole_number(std::string_view text) { return whole_number_of(text); }

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (std::size_t at = 0;;) {
    const auto end = text.find(separator, at);
    parts.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::optional<Finding> check_value(const Variable& variable, const std::string& value, Version nccl) {
  const std::string_view kind = variable.kind;
  if (kind.empty() || kind == "text") return {};
  if (value.empty()) {
    return wrong("it is set to nothing", fmt::format("unset {}, or give it a value", variable.name), Severity::warning);
  }
  if (kind == "int" || kind.starts_with("int ")) return check_number(variable, value);
  if (kind == "flag") return check_flag(variable, value);
  if (kind.starts_with("bytes")) return check_bytes(variable, value);
  if (kind.starts_with("one ")) return check_words(variable, value, parts_of(kind.substr(4), ','), false);
  if (kind.starts_with("list ")) return check_words(variable, value, parts_of(kind.substr(5), ','), true);
  if (kind == "algorithms" || kind == "protocols") return check_choice(variable, value, nccl);
  if (kind == "level") {
    const auto number = whole_number(value);
    if (number && *number >= 0 && *number <= 5) return {};
    return check_words(variable, value, {"LOC", "NVL", "PIX", "PXB", "PHB", "SYS"}, false);
  }
  if (kind == "endpoint") return check_endpoint(variable, value);
  if (kind == "cidr") return check_range_of_addresses(variable, value);
  if (kind == "duration") return check_duration(variable, value);
  if (kind == "cpus" && !parse_cpu_list(value)) {
    return wrong(fmt::format("\"{}\" is no list of CPUs", value), fmt::format("{}=0-3,8", variable.name));
  }
  return {};
}

}  // namespace tutti::settings
