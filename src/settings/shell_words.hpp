/// @file  The words of a shell script, without running it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::settings {

struct Word {
  std::string text{};    ///< without quotes
  std::size_t line = 0;  ///< from 1
  bool first = false;    ///< of a command
};

/// Quotes, backslashes and comments are understood; variables stay as they are written. Directives of batch systems
/// (#SBATCH, #PBS, #BSUB) are commands, not comments.
std::vector<Word> shell_words(std::string_view text);

}  // namespace tutti::settings
