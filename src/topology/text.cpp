#include "topology/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace tutti {

std::size_t line_at(std::string_view text, std::size_t at) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
  return static_cast<std::size_t>(std::count(text.begin(), end, '\n')) + 1;
}

std::size_t first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || i + length > text.size()) return i;
    std::uint32_t character = lead & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0U) != 0x80) return i;
      character = character << 6 | (next & 0x3fU);
    }
    const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
    if (overlong || character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string shown(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  if (cut) {
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80) --most;
    text = text.substr(0, most);
  }
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return cut ? out + "…" : out;
}

std::string printable_lines(std::string text) {
  for (char& c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (control && c != '\n' && c != '\t') c = '?';
  }
  return text;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string_view after(std::string_view text, std::string_view start) {
  const auto at = text.find(start);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + start.size());
}

bool same_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace tutti
