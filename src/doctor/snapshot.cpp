#include "doctor/snapshot.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "tutti/base/error.hpp"

namespace tutti::doctor {

namespace {

using Json = nlohmann::ordered_json;
constexpr const char* schema = "tutti-doctor-snapshot-1";

}  // namespace

std::optional<std::string_view> Snapshot::text(const std::string& path) const {
  const auto found = files.find(path);
  if (found == files.end()) return {};
  return found->second;
}

std::optional<long> Snapshot::number(const std::string& path) const {
  auto digits = text(path).value_or("");
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  long value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (fault != std::errc{} || end != digits.data() + digits.size()) return {};
  return value;
}

const std::vector<std::string>& Snapshot::names(const std::string& folder) const {
  static const std::vector<std::string> none;
  const auto found = folders.find(folder);
  return found == folders.end() ? none : found->second;
}

std::string write_snapshot(const Snapshot& snapshot) {
  Json json;
  json["schema"] = schema;
  json["host"] = snapshot.host;
  json["files"] = snapshot.files;
  json["folders"] = snapshot.folders;
  json["outputs"] = snapshot.outputs;
  json["facts"] = snapshot.facts;
  json["environment"] = snapshot.environment;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Snapshot read_snapshot(std::string_view text, const std::string& name) {
  try {
    const auto json = nlohmann::json::parse(text);  // sorted: many names are found as fast as few
    if (!json.is_object() || json.value("schema", "") != schema) {
      throw Error(Code::invalid_argument, fmt::format("{} is no snapshot of a machine", name),
                  {.remedy = "tutti doctor collect FILE makes one"});
    }
    Snapshot snapshot;
    json.at("host").get_to(snapshot.host);
    json.at("files").get_to(snapshot.files);
    json.at("folders").get_to(snapshot.folders);
    json.at("outputs").get_to(snapshot.outputs);
    json.at("facts").get_to(snapshot.facts);
    json.at("environment").get_to(snapshot.environment);
    return snapshot;
  } catch (const nlohmann::json::exception& fault) {
    throw Error(Code::invalid_argument, fmt::format("{} is no snapshot of a machine: {}", name, fault.what()),
                {.remedy = "tutti doctor collect FILE makes one"});
  }
}

}  // namespace tutti::doctor
