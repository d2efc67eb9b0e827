/// @file  What a setting's value may be, and what it means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "settings/database.hpp"
#include "settings/setting.hpp"

namespace tutti::settings {

/// What is wrong with a value: a finding with id, severity, what and remedy. Nothing when it is as it should be.
/// `nccl` is the version that will read it.
std::optional<Finding> check_value(const Variable& variable, const std::string& value, Version nccl);

/// "1.07 s": 4.096 us × 2^exponent, an adapter's wait for an acknowledgement.
std::string ack_timeout(long exponent);

/// What a value means in numbers, where that is not plain to see ("4.096 us x 2^18 = 1.07 s"). Nothing for the others.
std::optional<std::string> explain_value(const Variable& variable, const std::string& value, const Settings& others);

/// A whole number, decimal or 0x…; nothing when it is none.
std::optional<long> whole_number(std::string_view text);

/// The parts between separators; an empty text has none.
std::vector<std::string_view> parts_of(std::string_view text, char separator);

/// Equal but for capitals?
bool same_word(std::string_view a, std::string_view b);

}  // namespace tutti::settings
