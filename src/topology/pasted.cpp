#include "topology/pasted.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tutti {

namespace {

constexpr char escape = '\x1b';

/// The end of the escape sequence that begins at `at`.
std::size_t after_escape(std::string_view line, std::size_t at) {
  ++at;
  if (at >= line.size()) return at;
  if (line[at] == ']') {  // a title or link, up to BEL or ESC backslash
    const auto end = line.find_first_of("\x07\x1b", at);
    if (end == std::string_view::npos) return line.size();
    return std::min(line.size(), end + (line[end] == escape ? 2 : 1));
  }
  if (line[at] != '[') return at + 1;
  ++at;
  while (at < line.size() && (line[at] < '@' || line[at] > '~')) ++at;
  return std::min(line.size(), at + 1);
}

void add_line(std::vector<PastedLine>& lines, std::size_t number, std::string_view raw, bool quoted) {
  PastedLine line{.number = number};
  line.text.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] == escape) {
      i = after_escape(raw, i);
    } else if (raw[i] == '\r') {
      ++i;
    } else if (quoted && raw[i] == '\\' && i + 1 < raw.size() && (raw[i + 1] == 't' || raw[i + 1] == 'n')) {
      if (raw[i + 1] == 't') {
        line.text += '\t';
      } else {
        lines.push_back(line);
        line.text.clear();
      }
      i += 2;
    } else if (raw.substr(i).starts_with("\xc2\xa0")) {  // a blank that does not break
      line.text += ' ';
      i += 2;
    } else {
      line.text += raw[i++];
    }
  }
  lines.push_back(std::move(line));
}

}  // namespace

std::vector<PastedLine> pasted_lines(std::string_view text) {
  std::vector<PastedLine> lines;
  const bool quoted = text.find("\\tGPU") != std::string_view::npos || text.find("\\nGPU") != std::string_view::npos;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    add_line(lines, ++number, text.substr(0, end), quoted);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool is_gap(char c) { return c == ' ' || c == '\t' || c == '|'; }

std::string_view without_gap(std::string_view text) {
  while (!text.empty() && is_gap(text.front())) text.remove_prefix(1);
  return text;
}

bool ends_prefix(char c) { return is_gap(c) || c == '"' || c == '\'' || c == ':' || c == '>' || c == ']' || c == ')'; }

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(" \t", at), text.size());
    found.push_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

int take_number(std::string_view& text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 9) return -1;
  int value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

}  // namespace tutti
