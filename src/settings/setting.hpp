/// @file  Setting: a variable that somebody gives a value, and where; and the settings of one rank.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::settings {

struct Setting {
  std::string name{};
  std::string value{};
  std::string place{};   ///< "environment", a file
  std::size_t line = 0;  ///< 0: none
  std::string cut{};     ///< what Slurm's --export takes away, as it cuts at commas: "mlx5_1"

  /// A value that a shell has yet to work out.
  bool is_open() const { return value.find_first_of("$`") != std::string::npos; }
};

/// Of one rank, or of one file.
struct Settings {
  std::string who{};  ///< "rank 3", "job.sh", "environment"
  std::vector<Setting> all{};

  /// The value that holds: the last one given. Nothing when there is none.
  std::optional<std::string> value(std::string_view name) const {
    for (auto setting = all.rbegin(); setting != all.rend(); ++setting) {
      if (setting->name == name) return setting->value;
    }
    return std::nullopt;
  }
};

}  // namespace tutti::settings
