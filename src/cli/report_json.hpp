/// @file  JsonPlace: a value in a JSON document of somebody else's, which says where it is when it is not what it should be.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::report {

class JsonPlace {
 public:
  /// `document` must outlive the place; `name` stands for the file in errors.
  JsonPlace(const nlohmann::ordered_json& document, std::string name) : json_(&document), where_(std::move(name)) {}

  bool has(const std::string& key) const {
    return json_->is_object() && json_->contains(key) && !(*json_)[key].is_null();
  }
  /// These throw Error(invalid_argument) naming the place for what is missing or of another kind.
  JsonPlace at(const std::string& key) const;
  std::string text(const std::string& key) const;
  double number(const std::string& key) const;  ///< finite, not negative, below 1e30
  bool flag(const std::string& key) const;
  std::vector<JsonPlace> list(const std::string& key) const;
  std::string text() const;

  /// The same where it may be missing or null.
  std::string text_or(const std::string& key, std::string otherwise) const {
    return has(key) ? text(key) : std::move(otherwise);
  }
  double number_or(const std::string& key, double otherwise) const { return has(key) ? number(key) : otherwise; }
  std::vector<JsonPlace> list_or_none(const std::string& key) const {
    return has(key) ? list(key) : std::vector<JsonPlace>{};
  }

  [[noreturn]] void wrong(const std::string& what) const;

 private:
  const nlohmann::ordered_json* json_;
  std::string where_;
};

/// Throws Error(invalid_argument) naming the file for text that is no JSON object; `maker` is the command that writes one.
nlohmann::ordered_json parse_object(std::string_view text, const std::string& name, const std::string& maker);

}  // namespace tutti::report
