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

/// Counts what a text holds and stops where it is too much.
class Limits : public nlohmann::json_sax<Json> {
 public:
  bool too_deep() const { return depth_ > max_depth + 1; }
  bool too_many() const { return values_ > max_values; }

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool key(string_t&) override { return count(); }
  bool start_object(std::size_t) override { return deeper(); }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_object() override { return higher(); }
  bool end_array() override { return higher(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool count() { return ++values_ <= max_values; }
  bool deeper() { return ++depth_ <= max_depth + 1 && count(); }
  bool higher() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& name, const char* schema) {
  if (text.size() > max_bytes) refuse_at(name, fmt::format("is longer than {} MiB", max_bytes >> 20), schema);
  Limits limits;
  Json::sax_parse(text, &limits);  // first, for building takes memory that a small text may not claim
  if (limits.too_deep()) refuse_at(name, fmt::format("is nested deeper than {} levels", max_depth), schema);
  if (limits.too_many()) refuse_at(name, fmt::format("has more than {} values", max_values), schema);
  try {
    return Json::parse(text);
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
