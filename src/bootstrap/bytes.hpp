/// @file  Reading and writing numbers, low byte first, in messages that other processes wrote.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

using ByteSpan = std::span<const std::byte>;

inline ByteSpan bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Text that others chose, fit for one line of an error: odd bytes become '?', and it ends after 80.
inline std::string printable(std::string_view text) {
  std::string line(text.substr(0, 80));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > 80 ? line + "..." : line;
}

/// Appends to a vector of bytes.
class ByteWriter {
 public:
  ByteWriter& u8(std::uint8_t value) { return number(value, 1); }
  ByteWriter& u16(std::uint16_t value) { return number(value, 2); }
  ByteWriter& u32(std::uint32_t value) { return number(value, 4); }
  ByteWriter& u64(std::uint64_t value) { return number(value, 8); }
  ByteWriter& bytes(ByteSpan value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return *this;
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  ByteWriter& number(std::uint64_t value, int size) {
    for (int at = 0; at < size; ++at) bytes_.push_back(static_cast<std::byte>(value >> (8 * at)));
    return *this;
  }
  std::vector<std::byte> bytes_;
};

/// Takes from the front of a span. The caller has checked that enough is there: reading past the end gives
/// zeros.
class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes) : rest_(bytes) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  ByteSpan bytes(std::size_t count) {
    count = std::min(count, rest_.size());
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

 private:
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    const auto taken = bytes(size);
    for (std::size_t at = 0; at < taken.size(); ++at) value |= std::to_integer<std::uint64_t>(taken[at]) << (8 * at);
    return value;
  }
  ByteSpan rest_;
};

}  // namespace tutti
