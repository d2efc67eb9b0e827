/// @file  Tuning files: written, and read with every fault told by its place in the document.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "topology/json_cursor.hpp"
#include "topology/source_text.hpp"
#include "tutti/base/error.hpp"
#include "tutti/choose/tuning.hpp"

namespace tutti {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* tuning_format = "tutti-tuning";
constexpr int tuning_version = 1;
constexpr const char* tuning_schema = "docs/schema/tuning.schema.json";
constexpr int most_ranks = 1 << 20;
constexpr std::size_t most_tuned_bytes = std::size_t{1} << 50;
constexpr double longest_us = 1e12;

OrderedJson json_of(const Interval& interval) { return {interval.value, interval.low, interval.high}; }

OrderedJson json_of(const TunedWay& way) {
  OrderedJson json{
      {"algorithm", name(way.algorithm)}, {"protocol", name(way.protocol)}, {"latency_us", json_of(way.latency_us)},
      {"rate_GBs", json_of(way.gbs)},     {"fit_error", way.error},         {"points", OrderedJson::array()}};
  for (const TunedPoint& point : way.points) {
    json["points"].push_back({{"rank_bytes", point.bytes}, {"time_us", json_of(point.us)}});
  }
  return json;
}

OrderedJson json_of(const TunedCall& call) {
  OrderedJson json{{"collective", name(call.collective)},
                   {"reach", name(call.reach)},
                   {"ranks", call.ranks},
                   {"turns", OrderedJson::array()},
                   {"ways", OrderedJson::array()}};
  for (const TunedTurn& turn : call.turns) {
    json["turns"].push_back({{"from_rank_bytes", turn.bytes},
                             {"between", {turn.low, turn.high}},
                             {"algorithm", name(turn.algorithm)},
                             {"protocol", name(turn.protocol)}});
  }
  for (const TunedWay& way : call.ways) json["ways"].push_back(json_of(way));
  return json;
}

/// A member that must be there.
template <class Read>
void required(const JsonCursor& at, const char* key, Read&& read) {
  if (!at.value.is_object()) at.expected("an object");
  if (!at.value.contains(key)) at.refuse(fmt::format("\"{}\" is missing", key));
  at.with(key, read);
}

double number_within(const JsonCursor& at, double least, double most) {
  const auto value = at.as<double>();
  if (!(value >= least && value <= most)) at.refuse(fmt::format("{} is not between {:g} and {:g}", value, least, most));
  return value;
}

std::size_t bytes_at(const JsonCursor& at) {
  const auto bytes = at.as<std::size_t>();
  if (bytes > most_tuned_bytes) at.refuse(fmt::format("{} are more bytes than any machine has", bytes));
  return bytes;
}

Interval read_interval(const JsonCursor& at, double most) {
  if (!at.value.is_array() || at.value.size() != 3) at.expected("three numbers: value, low, high");
  double numbers[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    numbers[i] = number_within({at.value[i], fmt::format("{}[{}]", at.place, i), at.schema}, 0, most);
  }
  if (numbers[0] < numbers[1] || numbers[0] > numbers[2]) at.refuse("the value lies outside its interval");
  return {numbers[0], numbers[1], numbers[2]};
}

Algorithm read_algorithm(const JsonCursor& at) {
  const auto algorithm = at.one_of<Algorithm>("algorithm", algorithm_named, "algorithm");
  if (algorithm == Algorithm::automatic || algorithm == Algorithm::direct || algorithm == Algorithm::mpi) {
    at.refuse(fmt::format("\"{}\" is no answer; a tuning names an algorithm of the host engine", name(algorithm)));
  }
  return algorithm;
}

Protocol read_protocol(const JsonCursor& at) {
  const auto protocol = at.one_of<Protocol>("protocol", protocol_named, "protocol");
  if (protocol == Protocol::automatic) at.refuse("\"automatic\" is no answer");
  return protocol;
}

TunedTurn read_turn(const JsonCursor& at) {
  at.only({"from_rank_bytes", "between", "algorithm", "protocol"});
  TunedTurn turn{.algorithm = read_algorithm(at), .protocol = read_protocol(at)};
  required(at, "from_rank_bytes", [&](const JsonCursor& bytes) { turn.bytes = bytes_at(bytes); });
  turn.low = turn.high = turn.bytes;
  at.with("between", [&](const JsonCursor& both) {
    if (!both.value.is_array() || both.value.size() != 2) both.expected("two numbers");
    turn.low = bytes_at({both.value[0], both.place + "[0]", both.schema});
    turn.high = bytes_at({both.value[1], both.place + "[1]", both.schema});
  });
  return turn;
}

TunedWay read_way(const JsonCursor& at) {
  at.only({"algorithm", "protocol", "latency_us", "rate_GBs", "fit_error", "points"});
  TunedWay way{.algorithm = read_algorithm(at), .protocol = read_protocol(at)};
  at.with("latency_us", [&](const JsonCursor& us) { way.latency_us = read_interval(us, longest_us); });
  at.with("rate_GBs", [&](const JsonCursor& rate) { way.gbs = read_interval(rate, 1e6); });
  at.with("fit_error", [&](const JsonCursor& error) { way.error = number_within(error, 0, 1e6); });
  at.each("points", [&](const JsonCursor& point) {
    point.only({"rank_bytes", "time_us"});
    TunedPoint& read = way.points.emplace_back();
    required(point, "rank_bytes", [&](const JsonCursor& bytes) { read.bytes = bytes_at(bytes); });
    required(point, "time_us", [&](const JsonCursor& us) { read.us = read_interval(us, longest_us); });
    if (way.points.size() > 1 && way.points[way.points.size() - 2].bytes >= read.bytes) {
      point.refuse("sizes do not ascend");
    }
  });
  return way;
}

TunedCall read_call(const JsonCursor& at) {
  at.only({"collective", "reach", "ranks", "turns", "ways"});
  TunedCall call{.collective = at.one_of<Collective>("collective", collective_named, "collective"),
                 .reach = at.one_of<Reach>("reach", reach_named, "way to reach memory")};
  required(at, "ranks", [&](const JsonCursor& ranks) {
    call.ranks = ranks.as<int>();
    if (call.ranks < 2 || call.ranks > most_ranks) ranks.refuse(fmt::format("{} ranks", call.ranks));
  });
  required(at, "turns", [&](const JsonCursor& list) {
    if (list.value.is_array() && list.value.empty()) list.refuse("no way is named");
  });
  at.each("turns", [&](const JsonCursor& turn) {
    call.turns.push_back(read_turn(turn));
    const std::size_t count = call.turns.size();
    if (count == 1 && call.turns[0].bytes != 0) turn.refuse("the first way begins at 0 bytes");
    if (count > 1 && call.turns[count - 2].bytes >= call.turns[count - 1].bytes) turn.refuse("sizes do not ascend");
    if (call.reach == Reach::processes && call.turns.back().protocol == Protocol::window) {
      turn.refuse("processes have no window onto memory of their own");
    }
  });
  at.each("ways", [&](const JsonCursor& way) { call.ways.push_back(read_way(way)); });
  return call;
}

}  // namespace

std::string to_json(const Tuning& tuning, int indent) {
  OrderedJson json{
      {"format", tuning_format},          {"version", tuning_version},       {"fingerprint", digest(tuning.machine)},
      {"machine", OrderedJson::object()}, {"hysteresis", tuning.hysteresis}, {"calls", OrderedJson::array()}};
  for (const auto& [key, value] : tuning.machine.facts) json["machine"][key] = value;
  for (const TunedCall& call : tuning.calls) json["calls"].push_back(json_of(call));
  return json.dump(indent) + "\n";
}

Tuning tuning_from_text(std::string_view text, const std::string& name) {
  text = checked_text(text, name);
  // Ordered as written: the digest of a fingerprint depends on it.
  const nlohmann::json json = parse_json(text, name, tuning_schema);
  const JsonCursor at{json, name, tuning_schema};
  if (!json.is_object() || !json.contains("format") || json["format"] != tuning_format) {
    at.refuse(fmt::format("this is no tuning: expected an object with \"format\": \"{}\"", tuning_format));
  }
  required(at, "version", [&](const JsonCursor& version) {
    if (version.as<int>() != tuning_version) {
      version.refuse(
          fmt::format("this build reads version {}, found {}; tune again", tuning_version, version.as<int>()));
    }
  });
  at.only({"format", "version", "fingerprint", "machine", "hysteresis", "calls"});
  Tuning tuning{.name = name};
  required(at, "machine", [&](const JsonCursor& machine) {
    if (!machine.value.is_object()) machine.expected("an object");
    for (const auto& [key, value] : fingerprint_of(HostFacts{}).facts) {
      required(machine, key.c_str(), [&, &key = key](const JsonCursor& fact) {
        tuning.machine.facts.emplace_back(key, fact.as<std::string>());
      });
    }
  });
  required(at, "fingerprint", [&](const JsonCursor& print) {
    if (print.as<std::string>() != digest(tuning.machine)) {
      print.refuse(fmt::format("it is {}, and the machine's facts make {}: the file was changed",
                               print.as<std::string>(), digest(tuning.machine)));
    }
  });
  at.with("hysteresis", [&](const JsonCursor& share) { tuning.hysteresis = number_within(share, 0, 1); });
  required(at, "calls", [](const JsonCursor&) {});
  at.each("calls", [&](const JsonCursor& call) {
    TunedCall read = read_call(call);
    for (const TunedCall& other : tuning.calls) {
      if (other.collective == read.collective && other.reach == read.reach && other.ranks == read.ranks) {
        call.refuse(fmt::format("{} of {} {} is there twice", tutti::name(read.collective), read.ranks,
                                tutti::name(read.reach)));
      }
    }
    tuning.calls.push_back(std::move(read));
  });
  return tuning;
}

Tuning tuning_from_file(const std::filesystem::path& path) {
  const SourceText source = text_of(path);
  return tuning_from_text(source.text, source.name);
}

}  // namespace tutti
