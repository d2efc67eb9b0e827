#include "cli/bench_json.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tutti::bench {

namespace {

using Json = nlohmann::ordered_json;

/// Six significant digits: more than the clock has, and short to read.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  return std::stod(fmt::format("{:.6g}", value));
}

template <class T>
Json or_null(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_floating_point_v<T>) {
    return rounded(*value);
  } else {
    return *value;
  }
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// The fields of a row, in the order of the columns.
Json fields(const Row& row) {
  Json json;
  json["collective"] = row.collective;
  json["engine"] = row.engine;
  json["algorithm"] = row.algorithm;
  json["decision"] = text_or_null(row.decision);
  json["protocol"] = text_or_null(row.protocol);
  json["buffers"] = row.buffers;
  json["ranks"] = row.ranks;
  json["type"] = row.type;
  json["operation"] = row.operation;
  json["root"] = row.root;
  json["size_bytes"] = row.size_bytes;
  json["count"] = row.count;
  json["in_place"] = row.in_place;
  json["time_us"] = rounded(row.time_us);
  json["p25_us"] = rounded(row.p25_us);
  json["p75_us"] = rounded(row.p75_us);
  json["p99_us"] = rounded(row.p99_us);
  json["algbw_GBs"] = rounded(row.algbw_GBs);
  json["busbw_GBs"] = rounded(row.busbw_GBs);
  json["wrong"] = or_null(row.wrong);
  json["peer"] = text_or_null(row.peer);
  json["ratio"] = or_null(row.ratio);
  json["probe_before_us"] = or_null(row.probe_before);
  json["probe_us"] = or_null(row.probe_after);
  json["iterations"] = row.iterations;
  json["cut_short"] = row.cut_short;
  return json;
}

std::string csv_field(const Json& value) {
  if (value.is_null()) return {};
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

}  // namespace

std::string to_json(const Report& report) {
  const RunFacts& facts = report.facts;
  Json json;
  json["schema"] = "tutti-bench-1";
  json["tutti"] = facts.tutti;
  json["started"] = facts.started;
  json["machine"] = {{"hosts", facts.hosts},
                     {"processor", text_or_null(facts.cpu)},
                     {"processors", facts.cpus},
                     {"memory_bytes", facts.memory_bytes}};
  json["run"] = {{"ranks", facts.ranks},
                 {"launcher", facts.launcher},
                 {"peer", text_or_null(facts.peer)},
                 {"dirty", facts.dirty},
                 {"deterministic", facts.deterministic}};
  json["notes"] = report.notes;
  json["rows"] = Json::array();
  for (const Row& row : report.rows) json["rows"].push_back(fields(row));
  return json.dump(1) + "\n";
}

std::string to_csv(const Report& report) {
  std::string text;
  const auto line = [&](const Json& row, auto field) {
    std::string_view before;
    for (const auto& [key, value] : row.items()) {
      text += before;
      text += field(key, value);
      before = ",";
    }
    text += "\n";
  };
  line(fields(Row{}), [](const std::string& key, const Json&) { return key; });
  for (const Row& row : report.rows) {
    line(fields(row), [](const std::string&, const Json& value) { return csv_field(value); });
  }
  return text;
}

}  // namespace tutti::bench
