/// @file  Lists of CPU numbers as Linux writes them ("0-3,8") and as masks ("ff,00000000").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// The largest CPU number that is taken for real, in any list or mask.
inline constexpr int max_cpu = 65'535;

/// "0-3,8" → 0 1 2 3 8, ascending, each once; blanks around numbers do no harm. Nothing when it is no list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// Words of 32 bits in hex, highest first, with or without "0x", missing zeros allowed. An empty word is 0.
/// Nothing when it is no mask.
std::optional<std::vector<int>> parse_cpu_mask(std::string_view text);

/// 0 1 2 3 8 → "0-3,8". The input ascends.
std::string format_cpu_list(const std::vector<int>& cpus);

/// 0 1 2 3 40 → "00000100,0000000f".
std::string format_cpu_mask(const std::vector<int>& cpus);

}  // namespace tutti
