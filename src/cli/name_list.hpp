/// @file  Lists of names on a command line: "ring,tree", "all".
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

/// Throws invalid_argument: there is no such name, and which there are. `what` is the kind of thing: "algorithm".
[[noreturn]] inline void unknown_name(std::string_view what, std::string_view value,
                                      const std::vector<std::string_view>& there) {
  throw Error(
      Code::invalid_argument, fmt::format("there is no {} '{}'", what, value),
      {.remedy = fmt::format("did you mean '{}'? There are {}", nearest(value, there), fmt::join(there, ", "))});
}

/// The parts between commas.
inline std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

/// The values of a list, each once, in its order; "all" stands for `everything`. `lookup` gives an optional value for a
/// name; `there` are the names to tell when it gives none.
template <class Value, class Lookup>
std::vector<Value> values_of_list(std::string_view what, std::string_view list, const std::vector<Value>& everything,
                                  std::vector<std::string_view> there, Lookup lookup) {
  std::vector<Value> values;
  const auto add = [&](Value value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  for (const std::string_view part : split(list)) {
    if (part == "all") {
      std::for_each(everything.begin(), everything.end(), add);
    } else if (const auto value = lookup(part)) {
      add(*value);
    } else {
      there.emplace_back("all");
      unknown_name(what, part, there);
    }
  }
  return values;
}

template <class Value>
std::vector<std::string_view> names_of(const std::vector<Value>& values) {
  std::vector<std::string_view> names;
  names.reserve(values.size());
  for (const Value value : values) names.push_back(name(value));
  return names;
}

}  // namespace tutti::cli
