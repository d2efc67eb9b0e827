#include "topology/json_cursor.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_bytes = std::size_t{64} << 20;
constexpr std::size_t max_values = 4'000'000;  // of all kinds, so that a small text cannot fill the memory
constexpr int max_depth = 10;

[[noreturn]] void refuse_at(const std::string& place, const std::string& why, const char* schema) {
  throw Error(Code::invalid_argument, fmt::format("{}: {}", place, why),
              {.remedy = fmt::format("{} describes the form", schema)});
}

}  // namespace

Json parse_json(std::string_view text, const std::string& name, const char* schema) {
  if (text.size() > max_bytes) refuse_at(name, fmt::format("is longer than {} MiB", max_bytes >> 20), schema);
  std::size_t values = 0;
  try {
    return Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      if (depth > max_depth) refuse_at(name, fmt::format("is nested deeper than {} levels", max_depth), schema);
      if (++values > max_values) refuse_at(name, fmt::format("has more than {} values", max_values), schema);
      return true;
    });
  } catch (const Json::parse_error& error) {
    const auto end = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const auto start = text.substr(0, end).rfind('\n');
    const auto column = start == std::string_view::npos ? end + 1 : end - start;
    std::string why = error.what();
    if (const auto colon = why.rfind(": "); colon != std::string::npos) why = why.substr(colon + 2);
    refuse_at(fmt::format("{}:{}:{}", name, line_at(text, end), column), fmt::format("this is no JSON: {}", why),
              schema);
  }
}

void JsonCursor::refuse(const std::string& why) const { refuse_at(place, why, schema); }

void JsonCursor::expected(const char* what) const {
  refuse(fmt::format("expected {}, found {}", what, value.type_name()));
}

void JsonCursor::only(std::initializer_list<std::string_view> keys) const {
  if (!value.is_object()) expected("an object");
  for (const auto& [key, unused] : value.items()) {
    if (std::find(keys.begin(), keys.end(), std::string_view(key)) == keys.end()) {
      refuse(fmt::format("\"{}\" is not known here; known are {}", shown(key, 40), fmt::join(keys, ", ")));
    }
  }
}

}  // namespace tutti
