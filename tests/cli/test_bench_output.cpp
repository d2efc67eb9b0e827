/// @file  Table, JSON, CSV and plot say the same, in the form they promise.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/bench_json.hpp"
#include "cli/bench_plot.hpp"
#include "cli/bench_statistics.hpp"
#include "cli/bench_table.hpp"
#include "cli/says.hpp"
#include "cli/schema.hpp"

using namespace tutti;
using namespace tutti::bench;
using Json = nlohmann::json;

namespace {

Row row_of(const std::string& algorithm, std::size_t size, bool in_place, double time) {
  Row row;
  row.collective = "all_reduce";
  row.engine = algorithm == "mpi" ? "mpi" : "host";
  row.algorithm = algorithm;
  row.decision = algorithm == "mpi" ? "" : "two_shot/fifo";
  row.protocol = algorithm == "mpi" ? "" : "fifo";
  row.buffers = "private";
  row.ranks = 4;
  row.type = "float32";
  row.operation = "sum";
  row.size_bytes = size;
  row.count = size / 4;
  row.in_place = in_place;
  row.time_us = row.p25_us = row.p75_us = time;
  row.p99_us = 2 * time;
  row.algbw_GBs = static_cast<double>(size) / time / 1000;
  row.busbw_GBs = 1.5 * row.algbw_GBs;
  row.wrong = 0;
  if (algorithm != "mpi") {
    row.peer = "mpi";
    row.ratio = 1.25;
  }
  row.probe_before = 0.25;
  row.probe_after = 0.3;
  row.iterations = 100;
  return row;
}

Report sample() {
  Report report;
  report.facts = {.tutti = "1.2.3",
                  .peer = "Some MPI",
                  .ranks = 4,
                  .launcher = "by hand",
                  .hosts = {"here", "there"},
                  .cpu = "A \"fast\" one, with commas",
                  .cpus = 2,
                  .memory_bytes = std::size_t{1} << 30,
                  .started = "2026-01-01T00:00:00Z"};
  report.notes = {"bruck is left out: it copies"};
  for (const std::size_t size : {std::size_t{1} << 10, std::size_t{1} << 20}) {
    for (const bool in_place : {false, true}) {
      report.rows.push_back(row_of("automatic", size, in_place, 12.5));
      report.rows.push_back(row_of("mpi", size, in_place, 15.625));
    }
  }
  return report;
}

std::string fault(const Json& value) {
  const Json schema = test::schema_named("bench");
  return test::schema_fault(value, schema, schema);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("JSON is as its schema says") {
  Report report = sample();
  CHECK(fault(Json::parse(to_json(report))) == "");
  report.rows.front().wrong.reset();
  report.rows.front().probe_after.reset();
  report.facts.peer.clear();
  CHECK(fault(Json::parse(to_json(report))) == "");
}

TEST_CASE("the schema finds what is missing, unknown or of another type") {
  const Json good = Json::parse(to_json(sample()));
  Json bad = good;
  bad["rows"][0].erase("time_us");
  CHECK(says(fault(bad), {"lacks time_us"}));
  bad = good;
  bad["rows"][1]["colour"] = "red";
  CHECK(says(fault(bad), {"unknown colour"}));
  bad = good;
  bad["rows"][1]["wrong"] = "none";
  CHECK(says(fault(bad), {"/rows[]/wrong"}));
}

TEST_CASE("JSON carries every number of a row") {
  const Json json = Json::parse(to_json(sample()));
  CHECK(json["schema"] == "tutti-bench-1");
  CHECK(json["machine"]["hosts"] == Json::array({"here", "there"}));
  REQUIRE(json["rows"].size() == 8);
  const Json& row = json["rows"][0];
  CHECK(row["collective"] == "all_reduce");
  CHECK(row["engine"] == "host");
  CHECK(row["algorithm"] == "automatic");
  CHECK(row["ranks"] == 4);
  CHECK(row["size_bytes"] == 1024);
  CHECK(row["in_place"] == false);
  CHECK(row["time_us"].get<double>() == Approx(12.5));
  CHECK(row["p99_us"].get<double>() == Approx(25));
  CHECK(row["algbw_GBs"].get<double>() == Approx(0.08192));
  CHECK(row["busbw_GBs"].get<double>() == Approx(0.12288));
  CHECK(row["wrong"] == 0);
  CHECK(row["peer"] == "mpi");
  CHECK(row["ratio"].get<double>() == Approx(1.25));
  CHECK(row["probe_before_us"].get<double>() == Approx(0.25));
  CHECK(json["rows"][1]["peer"].is_null());
  CHECK(json["rows"][1]["engine"] == "mpi");
}

TEST_CASE("CSV has the columns of JSON's rows, and a line for each") {
  const auto lines = lines_of(to_csv(sample()));
  REQUIRE(lines.size() == 9);
  const auto json = nlohmann::ordered_json::parse(to_json(sample()));
  std::string columns;
  for (const auto& [key, value] : json["rows"][0].items()) {
    columns += (columns.empty() ? "" : ",") + key;
  }
  CHECK(lines[0] == columns);
  const auto commas = std::count(columns.begin(), columns.end(), ',');
  for (const std::string& line : lines) CHECK(std::count(line.begin(), line.end(), ',') == commas);
  CHECK(says(lines[1], {"all_reduce,host,automatic,two_shot/fifo,fifo,private,4,float32,sum,-1,1024,256,false,12.5,"}));
}

TEST_CASE("the table puts in place beside out of place, and names algorithm and engine") {
  const Report report = sample();
  const std::string head = table_head(report.facts, 0.25, true);
  CHECK(says(head, {"size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "out-of-place",
                    "in-place", "algorithm", "engine", "ratio", "here, there", "Some MPI", "0.250 us"}));
  for (const std::string& line : lines_of(head)) CHECK(line.front() == '#');
  const auto lines = lines_of(table_lines({report.rows.begin(), report.rows.begin() + 4}, true));
  REQUIRE(lines.size() == 2);
  CHECK(says(lines[0], {"1024", "256", "float32", "sum", "12.50", "1.25", "automatic", "host", "two_shot/fifo"}));
  CHECK(says(lines[1], {"15.62", "mpi"}));
}

TEST_CASE("the last table shows each way by size") {
  const Report report = sample();
  const auto lines = lines_of(summary(report.rows));
  REQUIRE(lines.size() == 5);
  CHECK(says(lines[2], {"size", "automatic", "mpi", "ratio"}));
  CHECK(says(lines[3], {"1 KiB", "12.50", "15.62", "1.25"}));
  CHECK(says(table_foot(report), {"wrong values: 0 OK"}));
  Report bad = report;
  bad.rows[0].wrong = 3;
  CHECK(says(table_foot(bad), {"wrong values: 3 FAILED"}));
}

TEST_CASE("a plot has a line for each way in both panels") {
  const std::string script = plot_script(sample(), "it's.svg");
  CHECK(says(script, {"set output 'it''s.svg'", "svg", "$curve0 << END\n1024 12.5 0.12288\n", "$curve1 using 1:2",
                      "$curve1 using 1:3", "title 'mpi'", "bus bandwidth"}));
  CHECK(says(plot_script(sample(), "a.png"), {"png"}));
}

TEST_CASE("quantiles are those between sorted samples") {
  CHECK(quantile({3, 1, 2}, 0.5) == Approx(2));
  CHECK(quantile({4, 1, 2, 3}, 0.5) == Approx(2.5));
  CHECK(quantile({5}, 0.99) == Approx(5));
  CHECK(quantile({0, 100}, 0.99) == Approx(99));
  CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == Approx(2));
}
