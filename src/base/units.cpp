#include "tutti/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "tutti/base/error.hpp"

namespace tutti {

std::string format_bytes(std::size_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const double rounded = std::round(value * 10) / 10;
  return fmt::format("{:g} {}", rounded, units[unit]);
}

std::size_t parse_bytes(std::string_view text) {
  const auto fail = [&] {
    throw Error(Code::invalid_argument, fmt::format("\"{}\" is not a size", text),
                {.remedy = "write a number of bytes, or one with K, M, G or T (powers of 1024), such as 64K"});
  };
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) fail();
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  double scale = 1;
  if (!unit.empty()) {
    switch (std::toupper(static_cast<unsigned char>(unit[0]))) {
      case 'B':
        break;
      case 'K':
        scale = 0x1p10;
        break;
      case 'M':
        scale = 0x1p20;
        break;
      case 'G':
        scale = 0x1p30;
        break;
      case 'T':
        scale = 0x1p40;
        break;
      default:
        fail();
    }
    if (scale != 1) unit.remove_prefix(1);
    if (!(unit.empty() || unit == "B" || unit == "iB" || unit == "b" || unit == "ib")) fail();
  }
  const double bytes = value * scale;
  if (bytes > 0x1p62 || bytes != std::floor(bytes)) fail();
  return static_cast<std::size_t>(bytes);
}

std::chrono::milliseconds parse_duration(std::string_view text, std::string_view what) {
  struct Unit {
    std::string_view name;
    double milliseconds;
  };
  constexpr std::array<Unit, 5> units{{{"ms", 1}, {"s", 1e3}, {"min", 60e3}, {"m", 60e3}, {"h", 3600e3}}};
  constexpr double year = 365.0 * 24 * 3600e3;
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  for (const Unit& known : units) {
    const double time = value * known.milliseconds;
    if (error == std::errc{} && unit == known.name && time >= 1 && time <= year) {
      return std::chrono::milliseconds(static_cast<std::int64_t>(time));
    }
  }
  throw Error(Code::invalid_argument, fmt::format("{} \"{}\" is not a time", what, text),
              {.remedy = "write a positive number with its unit: 500ms, 90s, 5min or 1h"});
}

}  // namespace tutti
