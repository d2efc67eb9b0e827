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
  throw Error(Code::invalid_argument, fmt::format("{}: {}", shown(place, 1000), shown(why, 1000)),
              {.remedy = fmt::format("{} describes the form", schema)});
}

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error …; last read: '…'", without the place
/// and what was cut from the text, perhaps within a character.
std::string reason_of(std::string_view why) {
  if (const auto end = why.find("] "); end != std::string_view::npos) why.remove_prefix(end + 2);
  if (why.starts_with("parse error at ")) why.remove_prefix(std::min(why.find(": ") + 2, why.size()));
  if (const auto last = why.find("; last read: "); last != std::string_view::npos) why = why.substr(0, last);
  return shown(why.substr(0, first_invalid_utf8(why)), 200);
}

/// Counts what a text holds and stops where it is too much, or no JSON.
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
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& error) override {
    error_at = at;
    error_why = error.what();
    return false;
  }

  std::size_t error_at = 0;  ///< in bytes, from 1
  std::string error_why{};   ///< empty: this is JSON, as far as it was read

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

bool is_json_of(std::string_view text, std::string_view format) {
  if (!trim(text.substr(0, 4096)).starts_with('{')) return false;
  constexpr std::string_view key = "\"format\"";
  text = text.substr(0, 65'536);
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    auto rest = trim(text.substr(at + key.size(), 256));
    if (!rest.starts_with(':')) continue;
    rest = trim(rest.substr(1));
    if (rest.starts_with('"') && rest.substr(1).starts_with(format) &&
        rest.substr(1 + format.size()).starts_with('"')) {
      return true;
    }
  }
  return false;
}

Json parse_json(std::string_view text, const std::string& name, const char* schema) {
  if (text.size() > max_bytes) refuse_at(name, fmt::format("is longer than {} MiB", max_bytes >> 20), schema);
  Limits limits;
  Json::sax_parse(text, &limits);  // first, for building takes memory that a small text may not claim
  if (limits.too_deep()) refuse_at(name, fmt::format("is nested deeper than {} levels", max_depth), schema);
  if (limits.too_many()) refuse_at(name, fmt::format("has more than {} values", max_values), schema);
  if (!limits.error_why.empty()) {  // what is no JSON, and numbers that are too large
    const auto end = std::min(limits.error_at == 0 ? 0 : limits.error_at - 1, text.size());
    const auto start = text.substr(0, end).rfind('\n');
    const auto column = start == std::string_view::npos ? end + 1 : end - start;
    refuse_at(fmt::format("{}:{}:{}", name, line_at(text, end), column),
              fmt::format("this is no JSON: {}", reason_of(limits.error_why)), schema);
  }
  return Json::parse(text);
}

void JsonCursor::refuse(const std::string& why) const { refuse_at(place, why, schema); }

void JsonCursor::expected(const char* what) const {
  // A number or a word is shown; what else there is can be long.
  const auto found = value.is_primitive() ? shown(value.dump(), 40) : std::string(value.type_name());
  refuse(fmt::format("expected {}, found {}", what, found));
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
