/// @file  Units: byte counts and times as people write and read them.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace tutti {

/// "8 B", "64 KiB", "1.5 MiB": binary units, at most one decimal.
std::string format_bytes(std::size_t bytes);

/// "8", "64K", "1M", "1MiB", "1.5G" → bytes; K, M, G, T are powers of 1024.
/// Throws invalid_argument naming the text when it is not a size.
std::size_t parse_bytes(std::string_view text);

/// "90s", "500ms", "5min", "1h" → time. `what` names the source in the error ("TUTTI_TIMEOUT").
/// Throws invalid_argument unless it is a positive time of at most a year.
std::chrono::milliseconds parse_duration(std::string_view text, std::string_view what);

namespace literals {
constexpr std::size_t operator""_KiB(unsigned long long n) { return static_cast<std::size_t>(n) << 10; }
constexpr std::size_t operator""_MiB(unsigned long long n) { return static_cast<std::size_t>(n) << 20; }
constexpr std::size_t operator""_GiB(unsigned long long n) { return static_cast<std::size_t>(n) << 30; }
}  // namespace literals

}  // namespace tutti
