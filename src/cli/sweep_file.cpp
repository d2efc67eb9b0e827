#include "cli/sweep_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tutti/base/error.hpp"

namespace tutti::sweep {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_file(const std::string& place, const std::string& what) {
  throw Error(Code::invalid_argument, fmt::format("{}: {}", place, what),
              {.operation = "bench sweep", .remedy = "name another file, or --fresh to write it anew"});
}

/// What makes a sweep another one.
Json identity_of(const SweepPlan& plan) {
  Json json;
  json["simulated"] = plan.simulated;
  json["where"] = plan.where;
  json["nodes"] = plan.nodes;
  json["ranks"] = plan.ranks;
  json["sizes"] = plan.sizes;
  json["failures"] = plan.failures;
  json["combinations"] = Json::array();
  for (const Combination& each : plan.combinations) json["combinations"].push_back(each.name());
  return json;
}

bool complete(const SweepPlan& plan, const SweepResult& result) {
  for (const Outcome& outcome : result.outcomes) {
    if (!outcome.excluded.empty()) continue;
    if (outcome.cells.empty()) return false;
    for (const Cell& cell : outcome.cells) {
      if (cell.us.size() < static_cast<std::size_t>(plan.launches)) return false;
    }
  }
  return true;
}

Json outcome_json(const SweepPlan& plan, const Combination& combination, const Outcome& outcome) {
  Json json{{"name", combination.name()},
            {"algorithm", combination.algorithm},
            {"protocol", combination.protocol},
            {"channels", combination.channels},
            {"settings", Json::object()},
            {"by", plan.simulated ? "simulated" : "measured"},
            {"excluded", outcome.excluded.empty() ? Json(nullptr) : Json(outcome.excluded)},
            {"times", Json::array()}};
  for (const auto& [key, value] : combination.settings) json["settings"][key] = value;
  for (std::size_t size = 0; size < outcome.cells.size(); ++size) {
    Json cell{{"size_bytes", plan.sizes[size]}, {"us", outcome.cells[size].us}};
    if (plan.simulated) cell["spread"] = outcome.cells[size].spread;
    json["times"].push_back(cell);
  }
  return json;
}

Json parsed(const std::string& text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    refuse_file(name, error.what());
  }
}

}  // namespace

std::string to_json(const SweepPlan& plan, const SweepResult& result) {
  Json json;
  json["schema"] = "tutti-sweep-1";
  json["simulated"] = plan.simulated;
  json["complete"] = complete(plan, result);
  json["collective"] = "all_reduce";
  json["gpus_or_processes"] = result.ranks;
  json["launches"] = plan.launches;
  json["plan"] = identity_of(plan);
  json["notes"] = result.notes;
  json["winners"] = Json::array();
  const std::vector<Winner> best = winners(plan, result);
  for (std::size_t size = 0; size < best.size(); ++size) {
    if (best[size].combination < 0) continue;
    const auto name_of = [&](int index) -> Json {
      return index < 0 ? Json(nullptr) : Json(plan.combinations[static_cast<std::size_t>(index)].name());
    };
    json["winners"].push_back({{"size_bytes", plan.sizes[size]},
                               {"winner", name_of(best[size].combination)},
                               {"time_us", best[size].us},
                               {"busbw_GBs", best[size].busbw_gbs},
                               {"next", name_of(best[size].next)},
                               {"ahead", best[size].ahead},
                               {"sure", best[size].sure < 0 ? Json(nullptr) : Json(best[size].sure)}});
  }
  json["combinations"] = Json::array();
  for (std::size_t c = 0; c < plan.combinations.size(); ++c) {
    json["combinations"].push_back(outcome_json(plan, plan.combinations[c], result.outcomes[c]));
  }
  return json.dump(1) + "\n";
}

void resume(const std::string& text, const std::string& name, const SweepPlan& plan, SweepResult& result) {
  const Json json = parsed(text, name);
  if (!json.is_object() || json.value("schema", Json(nullptr)) != "tutti-sweep-1") {
    refuse_file(name, "it is no file of a sweep (no schema tutti-sweep-1)");
  }
  const Json mine = identity_of(plan);
  if (!json.contains("plan") || !json["plan"].is_object()) refuse_file(name + ": plan", "there is none");
  for (const auto& [key, value] : mine.items()) {
    const Json theirs = json["plan"].value(key, Json(nullptr));
    if (theirs != value) refuse_file(name, fmt::format("it is of another sweep: {} differs", key));
  }
  if (!json.contains("combinations") || !json["combinations"].is_array() ||
      json["combinations"].size() != plan.combinations.size()) {
    refuse_file(name + ": combinations", "not as many as its plan says");
  }
  for (std::size_t c = 0; c < plan.combinations.size(); ++c) {
    const std::string place = fmt::format("{}: combinations[{}]", name, c);
    const Json& each = json["combinations"][c];
    Outcome& outcome = result.outcomes[c];
    if (!each.is_object() || !each.contains("times") || !each["times"].is_array()) refuse_file(place, "no times");
    if (each.contains("excluded") && each["excluded"].is_string()) outcome.excluded = each["excluded"];
    if (each["times"].empty()) continue;
    if (each["times"].size() != plan.sizes.size()) refuse_file(place + ".times", "not one for each size");
    outcome.cells.resize(plan.sizes.size());
    for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
      const Json& cell = each["times"][size];
      const std::string where = fmt::format("{}.times[{}]", place, size);
      if (!cell.is_object() || !cell.contains("us") || !cell["us"].is_array()) refuse_file(where, "no us");
      for (const Json& us : cell["us"]) {
        if (!us.is_number() || !(us.get<double>() > 0)) refuse_file(where + ".us", "times are numbers above 0");
        outcome.cells[size].us.push_back(us.get<double>());
      }
      if (cell.contains("spread")) {
        if (!cell["spread"].is_number() || !(cell["spread"].get<double>() >= 0)) {
          refuse_file(where + ".spread", "a number from 0 on");
        }
        outcome.cells[size].spread = cell["spread"].get<double>();
      }
    }
  }
}

}  // namespace tutti::sweep
