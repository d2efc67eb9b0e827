/// @file  says: does a text contain all of these? (Catch2's own matcher has another name in each version.)
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tutti {

inline bool says(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

}  // namespace tutti
