/// @file  Version: "2.23.4" as three numbers that compare.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::settings {

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison for a pointer
  auto operator<=>(const Version&) const = default;
};

/// "2.23.4", "2.23", "2.23.4+cuda12.4"; also NCCL's own number, 22304 or 2708. Nothing when it is no version.
std::optional<Version> parse_version(std::string_view text);

/// "2.23.4"; "2.5" when the patch is 0.
std::string format(Version version);

/// The newest NCCL that the tables know.
inline constexpr Version newest_nccl = {.major = 2, .minor = 30, .patch = 7};

}  // namespace tutti::settings
