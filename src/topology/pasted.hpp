/// @file  Text as people paste it: lines without escape codes and line ends, and what stands before the part that counts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

struct PastedLine {
  std::size_t number = 0;  ///< in the file, from 1
  std::string text{};      ///< without escape codes and carriage returns; what a quotation writes as \t is a tab
};

/// A line that a quotation writes with \n in it is several, all with one number.
std::vector<PastedLine> pasted_lines(std::string_view text);

/// Blanks, tabs and the bars of a drawn table.
bool is_gap(char c);
std::string_view without_gap(std::string_view text);

/// May a name begin after this character: a gap, a quote, the ":" or ">" of a prefix?
bool ends_prefix(char c);

/// Letters, digits and what names of devices have between them.
bool is_name_character(char c);

/// Words between blanks and tabs.
std::vector<std::string_view> words(std::string_view text);

/// A whole number at the front of `text`, which moves behind it; −1, and nothing moves, where there is none or it has
/// more than nine digits.
int take_number(std::string_view& text);

/// True, and `text` moves behind it, when it begins with `start`.
bool take(std::string_view& text, std::string_view start);

}  // namespace tutti
