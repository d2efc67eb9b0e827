#include "cli/judge_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

using ResultJson = nlohmann::json;

Error wrong(const std::string& where, const std::string& what, const char* remedy) {
  return Error(Code::invalid_argument, where + ": " + what, {.remedy = remedy});
}

Error unpriced(std::string_view collective) {
  return Error(Code::unsupported, fmt::format("no price is known for {}", collective),
               {.remedy = "judge all_reduce, all_gather, reduce_scatter, all_to_all, broadcast or reduce"});
}

/// "all_reduce_perf", "allreduce", "all-reduce": anywhere in the text. Throws for those without a price.
std::optional<Collective> collective_in(std::string_view text) {
  static const std::regex programs(
      R"((all_?-?reduce|all_?-?gather|reduce_?-?scatter|all_?-?to_?-?all|broadcast|gather|scatter|sendrecv|reduce)(_perf|_\w{0,40}\d{1,6}r|[ _.]))");
  static const std::map<std::string, Collective> collectives{
      {"allreduce", Collective::all_reduce},         {"allgather", Collective::all_gather},
      {"reducescatter", Collective::reduce_scatter}, {"alltoall", Collective::all_to_all},
      {"broadcast", Collective::broadcast},          {"reduce", Collective::reduce}};
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(text.begin(), text.end(), match, programs)) return std::nullopt;
  std::string key = match[1];
  std::erase_if(key, [](char c) { return c == '_' || c == '-'; });
  const auto found = collectives.find(key);
  if (found == collectives.end()) throw unpriced(key);
  return found->second;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

MeasuredRow row_of(const std::string& where, double bytes, double us) {
  constexpr double most_bytes = 1e15;
  constexpr double most_us = 1e12;
  if (!(bytes >= 0 && bytes <= most_bytes))
    throw wrong(where, fmt::format("a size of {} bytes", bytes), "sizes are 0 to 10^15");
  if (!(us > 0 && us <= most_us))
    throw wrong(where, fmt::format("a time of {} us", us), "times are above 0 and at most 10^12 us");
  return {bytes, us};
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// "#  Rank  0 Group  0 Pid  123 on host device  0 [0x1a] NVIDIA H100 80GB HBM3"
void read_rank(const std::string& line, MeasuredTable& table, std::set<std::string>& hosts,
               std::map<std::string, int>& processes) {
  static const std::regex form(R"(Rank +\d+ .*Pid +(\d+) +on +(\S+) +device +\d+ +\[[^\]]*\] +(.*\S))");
  std::smatch match;
  if (!std::regex_search(line, match, form)) return;
  ++table.ranks;
  hosts.insert(match[2]);
  ++processes[match[2].str() + ":" + match[1].str()];
  table.model = match[3];
}

MeasuredTable from_text(const std::string& text, const std::string& name) {
  MeasuredTable table;
  table.form = "nccl-tests";
  std::set<std::string> hosts;
  std::map<std::string, int> processes;
  std::istringstream stream(text);
  int at = 0;
  for (std::string line; std::getline(stream, line);) {
    ++at;
    if (line.size() > 4096)
      throw wrong(fmt::format("{}:{}", name, at), "a line of more than 4096 letters", "give the output of nccl-tests");
    // What launchers put before each line.
    const std::size_t tag = line.rfind(">:");
    if (tag != std::string::npos && line.find("stdout") < tag) line.erase(0, tag + 2);
    read_rank(line, table, hosts, processes);
    const auto words = words_of(line);
    constexpr std::size_t least_words = 10;
    if (words.size() < least_words || words[0].find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", name, at);
    // The last eight: time, algbw, busbw, wrong, out of place and in place.
    const auto bytes = number(words[0]);
    const auto us = number(words[words.size() - 4]);
    if (!bytes || !us) throw wrong(where, "a row without a time in place", "columns are as nccl-tests prints them");
    if (*bytes > 0) table.rows.push_back(row_of(where, *bytes, *us));
  }
  table.hosts = static_cast<int>(hosts.size());
  for (const auto& [process, ranks] : processes) table.gpus_per_process = std::max(table.gpus_per_process, ranks);
  return table;
}

MeasuredTable from_csv(const std::string& text, const std::string& name) {
  MeasuredTable table;
  table.form = "CSV";
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  for (int at = 2; std::getline(stream, line); ++at) {
    if (line.empty()) continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    const auto words = words_of(line);
    const std::string where = fmt::format("{}:{}", name, at);
    const auto bytes = !words.empty() ? number(words[0]) : std::nullopt;
    const auto us = words.size() > 4 ? number(words[4]) : std::nullopt;
    if (!bytes || !us)
      throw wrong(where, "no size or no time", "columns are size_bytes,count,type,redop,time_us,…,placement");
    if (words.back().rfind("in-place", 0) == 0 && *bytes > 0) table.rows.push_back(row_of(where, *bytes, *us));
  }
  return table;
}

double field(const ResultJson& object, const char* key, const std::string& where) {
  if (!object.contains(key) || !object[key].is_number())
    throw wrong(where, fmt::format("no number '{}'", key), "give the file as it was written");
  return object[key].get<double>();
}

MeasuredTable from_nccl_json(const ResultJson& json, const std::string& name) {
  MeasuredTable table;
  table.form = "nccl-tests JSON";
  std::set<std::string> hosts;
  if (json.contains("config") && json["config"].is_object() && json["config"].contains("devices")) {
    for (const ResultJson& device : json["config"]["devices"]) {
      if (!device.is_object()) continue;
      ++table.ranks;
      for (const auto& [key, value] : device.items()) {
        if (!value.is_string()) continue;
        if (key == "host" || key == "hostname") hosts.insert(value.get<std::string>());
        if (key == "device_name" || key == "name" || key == "model") table.model = value.get<std::string>();
      }
    }
  }
  table.hosts = static_cast<int>(hosts.size());
  int at = 0;
  for (const ResultJson& result : json["results"]) {
    const std::string where = fmt::format("{}: results[{}]", name, at++);
    if (!result.is_object()) throw wrong(where, "no object", "give the file as nccl-tests wrote it");
    const double bytes = field(result, "size", where);
    const char* place = result.contains("in_place") && result["in_place"].is_object() ? "in_place" : "out_of_place";
    if (!result.contains(place) || !result[place].is_object())
      throw wrong(where, "neither in_place nor out_of_place", "give the file as nccl-tests wrote it");
    const char* time = result[place].contains("time") ? "time" : "cpu_time";
    if (bytes > 0) table.rows.push_back(row_of(where, bytes, field(result[place], time, where + "." + place)));
  }
  return table;
}

MeasuredTable from_bench(const ResultJson& json, const std::string& name) {
  MeasuredTable table;
  table.form = "tutti bench";
  std::string engine;
  int at = 0;
  for (const ResultJson& row : json["rows"]) {
    const std::string where = fmt::format("{}: rows[{}]", name, at++);
    if (!row.is_object() || !row.contains("collective") || !row["collective"].is_string()) {
      throw wrong(where, "no collective", "give the file as tutti bench wrote it");
    }
    const auto collective = collective_named(row["collective"].get<std::string>());
    if (!collective) throw wrong(where, "a collective that there is not", "give the file as tutti bench wrote it");
    // The first collective and engine of the file; others are other tables.
    const auto word = [&](const char* key) {
      return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : std::string();
    };
    const std::string by = word("engine") + "/" + word("algorithm");
    if (table.rows.empty()) {
      if (*collective > Collective::all_to_all) throw unpriced(tutti::name(*collective));
      table.collective = *collective;
      engine = by;
      const double ranks = field(row, "ranks", where);
      constexpr double most_ranks = 1 << 20;
      if (!(ranks >= 0 && ranks <= most_ranks))
        throw wrong(where, fmt::format("{} ranks", ranks), "give the file as tutti bench wrote it");
      table.ranks = static_cast<int>(ranks);
    }
    if (*collective != table.collective || by != engine) continue;
    table.rows.push_back(row_of(where, field(row, "size_bytes", where), field(row, "time_us", where)));
  }
  return table;
}

}  // namespace

MeasuredTable read_result(std::string_view text, const std::string& name) {
  constexpr std::size_t most = std::size_t{64} << 20;
  if (text.size() > most) throw wrong(name, "more than 64 MiB", "give the output of one run");
  const std::string all(text);
  const std::size_t first = all.find_first_not_of(" \t\r\n");
  MeasuredTable table;
  if (first != std::string::npos && all[first] == '{') {
    ResultJson json;
    try {
      json = ResultJson::parse(all);
    } catch (const ResultJson::exception& error) {
      throw wrong(name, error.what(), "give JSON as nccl-tests or tutti bench wrote it");
    }
    if (json.contains("rows") && json["rows"].is_array()) {
      table = from_bench(json, name);
    } else if (json.contains("results") && json["results"].is_array()) {
      table = from_nccl_json(json, name);
    } else {
      throw wrong(name, "JSON with neither 'results' nor 'rows'", "give it as nccl-tests or tutti bench wrote it");
    }
  } else {
    table = all.rfind("size_bytes,", 0) == 0 ? from_csv(all, name) : from_text(all, name);
  }
  if (table.rows.empty())
    throw wrong(name, "there is no row of a measurement",
                "give the output of nccl-tests, its JSON, or that of tutti bench");
  if (table.form != "tutti bench") {
    auto collective = collective_in(all);
    if (!collective) collective = collective_in(name);
    table.collective = collective.value_or(Collective::all_reduce);
  }
  return table;
}

}  // namespace tutti::cli
