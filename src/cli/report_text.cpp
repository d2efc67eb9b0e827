#include "cli/report_text.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::report {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The character that begins at the front; not valid: one byte that begins none.
Character front(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (too_long || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return {};
  return {code, bytes, true};
}

bool hides(std::uint32_t code) {
  if (code < 0x20) return code != '\n' && code != '\t';
  return (code >= 0x7F && code < 0xA0) || code == 0x61C || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         (code & 0xFFFEU) == 0xFFFE;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = front(text);
    if (!next.valid || hides(next.code)) {
      out += "\uFFFD";
    } else if (next.code == '&') {
      out += "&amp;";
    } else if (next.code == '<') {
      out += "&lt;";
    } else if (next.code == '>') {
      out += "&gt;";
    } else if (next.code == '"') {
      out += "&quot;";
    } else if (next.code == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::string cut(std::string_view text, std::size_t most) {
  std::size_t at = 0;
  std::size_t before_last = 0;
  for (std::size_t count = 0; at < text.size(); ++count) {
    if (count == most) return escaped(text.substr(0, before_last)) + "…";
    before_last = at;
    at += front(text.substr(at)).bytes;
  }
  return escaped(text);
}

}  // namespace tutti::report
