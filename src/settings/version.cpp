#include "settings/version.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tutti::settings {

namespace {

/// NCCL counts 2.8.4 as 2804 and 2.9.6 as 20906.
Version from_number(int number) {
  const int unit = number < 10'000 ? 1'000 : 10'000;
  return {.major = number / unit, .minor = number % unit / 100, .patch = number % 100};
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  text = text.substr(0, text.find_first_of("+-"));
  int parts[3] = {};
  int count = 0;
  while (count < 3) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), parts[count]);
    if (fault != std::errc{} || parts[count] < 0) return std::nullopt;
    ++count;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != '.') return std::nullopt;
    text.remove_prefix(1);
  }
  if (!text.empty()) return std::nullopt;
  if (count == 1 && parts[0] >= 1'000) return from_number(parts[0]);
  return Version{.major = parts[0], .minor = parts[1], .patch = parts[2]};
}

std::string format(Version version) {
  if (version.patch == 0) return fmt::format("{}.{}", version.major, version.minor);
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

}  // namespace tutti::settings
