/// @file  Is a JSON document as its schema says? As much of JSON Schema as ours use.
#pragma once

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace tutti::test {

/// The fault, or "". References lead into `root`.
inline std::string schema_fault(const nlohmann::json& value, const nlohmann::json& schema, const nlohmann::json& root,
                                const std::string& where = "") {
  using Json = nlohmann::json;
  if (schema.contains("$ref")) {
    return schema_fault(value, root.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))), root, where);
  }
  const auto is = [&](const std::string& type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "null" && value.is_null()) || (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number());
  };
  if (schema.contains("const") && value != schema["const"]) return where + " is another constant";
  if (schema.contains("enum") && std::count(schema["enum"].begin(), schema["enum"].end(), value) == 0) {
    return where + " is not one of the enum";
  }
  if (schema.contains("type")) {
    const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
    if (std::none_of(types.begin(), types.end(), [&](const Json& type) { return is(type.get<std::string>()); })) {
      return where + " has another type: " + value.dump();
    }
  }
  if (schema.contains("minimum") && value.is_number() && value.get<double>() < schema["minimum"].get<double>()) {
    return where + " is too small";
  }
  for (const auto& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) return where + " lacks " + name.get<std::string>();
  }
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      const Json known = schema.value("properties", Json::object());
      if (!known.contains(key)) {
        const Json others = schema.value("additionalProperties", Json(false));
        if (!others.is_object()) return where + " has an unknown " + key;
        if (const std::string found = schema_fault(inner, others, root, where + "/" + key); !found.empty())
          return found;
        continue;
      }
      if (const std::string found = schema_fault(inner, schema["properties"][key], root, where + "/" + key);
          !found.empty()) {
        return found;
      }
    }
  }
  if (value.is_array()) {
    for (const Json& inner : value) {
      if (const std::string found = schema_fault(inner, schema.at("items"), root, where + "[]"); !found.empty())
        return found;
    }
  }
  return {};
}

/// Of docs/schema.
inline nlohmann::json schema_named(const std::string& name) {
  std::ifstream file(std::string(TUTTI_SOURCE_DIR "/docs/schema/") + name + ".schema.json");
  return nlohmann::json::parse(file);
}

}  // namespace tutti::test
