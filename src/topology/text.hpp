/// @file  Small questions about text that readers and their messages share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti {

/// The number of the line, from 1, that byte `at` lies in.
std::size_t line_at(std::string_view text, std::size_t at);

/// The place of the first byte that is not part of valid UTF-8; npos when all is.
std::size_t first_invalid_utf8(std::string_view text);

/// Text for a message: at most `most` bytes, control characters as "?", cut between characters, with "…".
std::string shown(std::string_view text, std::size_t most);

/// Lines for a terminal: control characters but line ends and tabs as "?", for names come from files of others.
std::string printable_lines(std::string text);

/// Without blanks, tabs and line ends around.
std::string_view trim(std::string_view text);

/// What follows `start` in a text; empty when that is not in it.
std::string_view after(std::string_view text, std::string_view start);

/// ASCII letters are the same in both cases.
bool same_but_case(std::string_view a, std::string_view b);

}  // namespace tutti
