/// @file  Text from a file or standard input, within limits, before anybody asks what it is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tutti {

struct SourceText {
  std::string name{};  ///< for messages: the path, or "standard input" for "-"
  std::string text{};
};

/// Throws Error(invalid_argument) for what cannot be read, or is longer than max_text.
SourceText text_of(const std::filesystem::path& path);

/// Refuses what no reader could make sense of: text that is too long, empty, binary or no UTF-8; a byte order mark is
/// taken away.
std::string_view checked_text(std::string_view text, const std::string& name);

}  // namespace tutti
