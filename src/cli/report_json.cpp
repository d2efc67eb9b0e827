#include "cli/report_json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti::report {

void JsonPlace::wrong(const std::string& what) const {
  throw Error(Code::invalid_argument, fmt::format("{} {}", shown(where_, 200), what),
              {.operation = "report", .remedy = "give a file as the command wrote it"});
}

JsonPlace JsonPlace::at(const std::string& key) const {
  if (!json_->is_object() || !json_->contains(key)) wrong(fmt::format("has no \"{}\"", key));
  return {(*json_)[key], fmt::format("{}: {}", where_, key)};
}

std::string JsonPlace::text() const {
  if (!json_->is_string()) wrong("is no text");
  return json_->get<std::string>();
}

std::string JsonPlace::text(const std::string& key) const { return at(key).text(); }

double JsonPlace::number(const std::string& key) const {
  const JsonPlace place = at(key);
  if (!place.json_->is_number()) place.wrong("is no number");
  const double value = place.json_->get<double>();
  if (!std::isfinite(value) || value < 0 || value > 1e30) place.wrong("is negative, or absurdly large");
  return value;
}

bool JsonPlace::flag(const std::string& key) const {
  const JsonPlace place = at(key);
  if (!place.json_->is_boolean()) place.wrong("is neither true nor false");
  return place.json_->get<bool>();
}

std::vector<JsonPlace> JsonPlace::list(const std::string& key) const {
  const JsonPlace place = at(key);
  if (!place.json_->is_array()) place.wrong("is no list");
  std::vector<JsonPlace> items;
  for (const auto& item : *place.json_) items.push_back({item, fmt::format("{}[{}]", place.where_, items.size())});
  return items;
}

nlohmann::ordered_json parse_object(std::string_view text, const std::string& name, const std::string& maker) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_object()) return json;
  throw Error(Code::invalid_argument,
              fmt::format("{} is no {}", shown(name, 200), json.is_discarded() ? "JSON" : "JSON object"),
              {.operation = "report", .remedy = fmt::format("give what `{}` writes", maker)});
}

}  // namespace tutti::report
