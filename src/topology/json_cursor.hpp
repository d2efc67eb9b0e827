/// @file  JsonCursor: a JSON value with its place, so that what is not understood is refused by that place.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "topology/cpu_list.hpp"

namespace tutti {

/// Does a text begin as an object with "format": "FORMAT" in it?
bool is_json_of(std::string_view text, std::string_view format);

/// The value of a text within limits of size, depth and number. Throws Error(invalid_argument) with line and column.
nlohmann::json parse_json(std::string_view text, const std::string& name, const char* schema);

/// One JSON value together with where it stands, "file: devices[3].pci", for messages.
struct JsonCursor {
  const nlohmann::json& value;
  std::string place;
  const char* schema = "";  ///< the document that describes the form, for messages

  /// Throws Error(invalid_argument): "place: why".
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void expected(const char* what) const;
  /// The object has no member but these; throws Error(invalid_argument) that names the first other one.
  void only(std::initializer_list<std::string_view> keys) const;

  template <class T>
  T as() const {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!value.is_string()) expected("a text");
      return value.get<std::string>();
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!value.is_boolean()) expected("true or false");
      return value.get<bool>();
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!value.is_number()) expected("a number");
      return value.get<T>();
    } else {
      if (!value.is_number_integer()) expected("a whole number");
      const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                                   : std::in_range<T>(value.get<std::int64_t>());
      if (!fits) refuse(fmt::format("{} is out of range", value.dump()));
      return value.get<T>();
    }
  }

  template <class Visit>
  void with(const char* key, Visit&& visit) const {
    if (!value.is_object()) expected("an object");
    if (const auto at = value.find(key); at != value.end())
      visit(JsonCursor{*at, fmt::format("{}.{}", place, key), schema});
  }
  template <class T>
  void into(const char* key, T& target) const {
    with(key, [&](const JsonCursor& at) { target = at.as<T>(); });
  }
  template <class Visit>
  void each(const char* key, Visit&& visit) const {
    with(key, [&](const JsonCursor& list) {
      if (!list.value.is_array()) list.expected("a list");
      for (std::size_t i = 0; i < list.value.size(); ++i) {
        visit(JsonCursor{list.value[i], fmt::format("{}[{}]", list.place, i), schema});
      }
    });
  }
  void into(const char* key, std::vector<int>& cpus) const {
    with(key, [&](const JsonCursor& at) {
      auto list = parse_cpu_list(at.as<std::string>());
      if (!list) at.refuse(fmt::format("\"{}\" is no list of CPUs such as \"0-3,8\"", at.as<std::string>()));
      cpus = std::move(*list);
    });
  }
  template <class Enum, class Named>
  Enum one_of(const char* key, Named&& named, const char* what) const {
    std::optional<Enum> found;
    with(key, [&](const JsonCursor& at) {
      found = named(at.as<std::string>());
      if (!found) at.refuse(fmt::format("\"{}\" is no {}", at.as<std::string>(), what));
    });
    if (!found) refuse(fmt::format("\"{}\" is missing", key));
    return *found;
  }
};

}  // namespace tutti
