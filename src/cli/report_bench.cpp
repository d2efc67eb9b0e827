/// @file  Measurements: for each kind of call, curves of time and bus bandwidth by size, and the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/report_chart.hpp"
#include "cli/report_json.hpp"
#include "cli/report_section.hpp"
#include "cli/report_text.hpp"

namespace tutti::report {

namespace {

struct Point {
  double bytes = 0;
  double us = 0;
  double p25 = 0;
  double p75 = 0;
  double busbw = 0;
  double ratio = 0;  ///< the peer's time over this; 0: none
  bool cut_short = false;
};

using Series = std::pair<std::string, std::vector<Point>>;

/// Calls that belong into one drawing.
struct Group {
  std::string title{};
  std::vector<Series> series{};
};

struct Reading {
  std::vector<std::pair<std::string, Group>> groups{};  ///< by key, as they come
  std::vector<std::string> notes{};
  double wrong = 0;
  std::size_t rows = 0;
};

Group& group_of(Reading& reading, const JsonPlace& row) {
  const double ranks = row.number("ranks");
  const std::string type = row.text("type");
  const std::string operation = row.text_or("operation", "none");
  std::string title = row.text("collective");
  if (type != "none") title += " of " + type;
  if (operation != "none") title += " " + operation;
  title += fmt::format(", {:.0f} ranks", ranks);
  const std::string buffers = row.text_or("buffers", "");
  if (!buffers.empty()) title += fmt::format(", {} buffers", buffers);
  title += row.flag("in_place") ? ", in place" : ", out of place";
  for (auto& [key, group] : reading.groups) {
    if (key == title) return group;
  }
  reading.groups.emplace_back(title, Group{.title = title});
  return reading.groups.back().second;
}

void read_rows(const JsonPlace& file, const std::string& tag, Reading& reading) {
  for (const JsonPlace& row : file.list("rows")) {
    ++reading.rows;
    Group& group = group_of(reading, row);
    const std::string engine = row.text("engine");
    const std::string algorithm = row.text("algorithm");
    const std::string name = fmt::format("{}{}{}", engine, engine == algorithm ? "" : " " + algorithm, tag);
    auto at = std::find_if(group.series.begin(), group.series.end(), [&](const Series& s) { return s.first == name; });
    if (at == group.series.end()) at = group.series.insert(group.series.end(), {name, {}});
    at->second.push_back({.bytes = row.number("size_bytes"),
                          .us = row.number("time_us"),
                          .p25 = row.number_or("p25_us", 0),
                          .p75 = row.number_or("p75_us", 0),
                          .busbw = row.number("busbw_GBs"),
                          .ratio = row.number_or("ratio", 0),
                          .cut_short = row.has("cut_short") && row.flag("cut_short")});
    reading.wrong += row.number_or("wrong", 0);
  }
  for (const JsonPlace& note : file.list_or_none("notes")) reading.notes.push_back(note.text());
}

std::string time_words(double us) {
  if (us >= 1e6) return fmt::format("{:.3g} s", us / 1e6);
  return us >= 1e3 ? fmt::format("{:.3g} ms", us / 1e3) : fmt::format("{:.3g} µs", us);
}

std::string cell(double us) { return us < 1000 ? fmt::format("{:.4g}", us) : fmt::format("{:.0f}", us); }

std::string bandwidth_cell(double gbs) {
  return gbs > 0 && gbs < 0.001 ? "<0.001" : gbs < 1000 ? fmt::format("{:.3g}", gbs) : fmt::format("{:.0f}", gbs);
}

std::string charts(const Group& group, const std::string& id) {
  Chart time{.id = id + "-time", .name = "Time: " + group.title, .unit = "time, µs", .curves = {}};
  Chart bandwidth{
      .id = id + "-bw", .name = "Bus bandwidth: " + group.title, .unit = "bus bandwidth, GB/s", .curves = {}};
  for (const auto& [name, points] : group.series) {
    Curve us{.name = name, .points = {}};
    Curve gbs{.name = name, .points = {}};
    for (const Point& point : points) {
      us.points.push_back({point.bytes, point.us, point.p25, point.p75});
      gbs.points.push_back({point.bytes, point.busbw});
    }
    time.curves.push_back(std::move(us));
    bandwidth.curves.push_back(std::move(gbs));
  }
  const std::string left = chart_svg(time);
  const std::string right = chart_svg(bandwidth);
  if (left.empty() && right.empty()) return {};
  return "<div class=\"keep\">" + legend_html(time.curves) + "<div class=\"charts\">\n" + left + right +
         "</div></div>\n" +
         (group.series.size() > most_curves
              ? fmt::format("<p class=\"soft\">The first {} of {} are drawn; all are in the table.</p>\n", most_curves,
                            group.series.size())
              : "");
}

std::string numbers(const Group& group) {
  std::map<double, std::map<std::size_t, const Point*>> by_size;
  bool any_ratio = false;
  bool any_short = false;
  for (std::size_t i = 0; i < group.series.size(); ++i) {
    for (const Point& point : group.series[i].second) {
      by_size[point.bytes].emplace(i, &point);
      any_ratio = any_ratio || point.ratio > 0;
      any_short = any_short || point.cut_short;
    }
  }
  const std::size_t columns = any_ratio ? 3 : 2;
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Numbers: {0}\"><table "
      "class=\"numbers\"><caption>Median "
      "time and bus bandwidth by size; the shortest time of a size is bold{1}</caption><thead><tr><th scope=\"col\" "
      "rowspan=\"2\">size</th>",
      escaped(group.title), any_short ? "; † stands on few operations" : "");
  std::string second;
  for (const auto& [name, points] : group.series) {
    html += fmt::format("<th scope=\"colgroup\" colspan=\"{}\">{}</th>", columns, escaped(name));
    second += "<th scope=\"col\">µs</th><th scope=\"col\">GB/s</th>";
    if (any_ratio) second += "<th scope=\"col\">ratio</th>";
  }
  html += "</tr><tr>" + second + "</tr></thead><tbody>\n";
  for (const auto& [bytes, points] : by_size) {
    double best = 0;
    for (const auto& [i, point] : points) best = best == 0 ? point->us : std::min(best, point->us);
    html += fmt::format("<tr><th scope=\"row\">{}</th>", short_bytes(bytes));
    for (std::size_t i = 0; i < group.series.size(); ++i) {
      const auto at = points.find(i);
      if (at == points.end()) {
        html += fmt::format("<td colspan=\"{}\">–</td>", columns);
        continue;
      }
      const Point& point = *at->second;
      html += fmt::format("<td{}>{}{}</td><td>{}</td>", point.us == best ? " class=\"best\"" : "", cell(point.us),
                          point.cut_short ? "†" : "", escaped(bandwidth_cell(point.busbw)));
      if (any_ratio) html += point.ratio > 0 ? fmt::format("<td>{:.2f}</td>", point.ratio) : "<td>–</td>";
    }
    html += "</tr>\n";
  }
  return html + std::string(table_end);
}

std::string gist_of(const Reading& reading) {
  const Point* quickest = nullptr;
  const Point* widest = nullptr;
  std::string collective;
  for (const auto& [key, group] : reading.groups) {
    if (collective.empty()) collective = key.substr(0, key.find_first_of(" ,"));
    if (key.substr(0, key.find_first_of(" ,")) != collective) continue;
    for (const auto& [name, points] : group.series) {
      if (name.rfind("mpi", 0) == 0) continue;
      for (const Point& point : points) {
        if (!quickest || point.us < quickest->us) quickest = &point;
        if (!widest || point.busbw > widest->busbw) widest = &point;
      }
    }
  }
  if (!quickest) return {};
  std::string words = fmt::format("{}: {} at {}B", collective, time_words(quickest->us), short_bytes(quickest->bytes));
  if (widest->busbw > 0) words += fmt::format(", up to {:.3g} GB/s at {}B", widest->busbw, short_bytes(widest->bytes));
  return words;
}

void tell_origin(const JsonPlace& file, const std::string& name, std::vector<Origin>& origins, std::string& html) {
  std::string made = fmt::format("{}, tutti {}", file.text_or("started", "date not told"),
                                 file.text_or("tutti", "of unknown version"));
  origins.push_back({"measurements", name, made});
  if (!file.has("machine") || !file.has("run")) return;
  const JsonPlace machine = file.at("machine");
  const JsonPlace run = file.at("run");
  std::string hosts;
  for (const JsonPlace& host : machine.list_or_none("hosts")) hosts += (hosts.empty() ? "" : ", ") + host.text();
  html += fmt::format("<p>{:.0f} ranks ({}) on {}, {}, {:.0f} processors{}.</p>\n", run.number_or("ranks", 0),
                      escaped(run.text_or("launcher", "launcher not told")), escaped(hosts),
                      escaped(machine.text_or("processor", "processor not told")), machine.number_or("processors", 0),
                      run.has("peer") ? "; peer: " + escaped(run.text("peer")) : "");
}

}  // namespace

Section bench_section(std::span<const std::pair<std::string, std::string>> files, std::vector<Origin>& origins) {
  Section section{.id = "measurements", .title = "Measurements", .gist = {}, .html = {}};
  Reading reading;
  for (const auto& [name, text] : files) {
    const auto json = parse_object(text, name, "tutti bench --json");
    const JsonPlace file(json, name);
    if (file.text_or("schema", "") != "tutti-bench-1") file.wrong("is not what `tutti bench --json` writes");
    read_rows(file, files.size() > 1 ? " (" + name + ")" : "", reading);
    tell_origin(file, name, origins, section.html);
  }
  if (reading.wrong > 0) {
    section.html +=
        fmt::format("<p class=\"banner error\">{:.0f} elements were wrong: these results must not be trusted.</p>\n",
                    reading.wrong);
  }
  if (reading.rows == 0) section.html += "<p>Nothing was measured.</p>\n";
  constexpr std::size_t most_groups = 40;
  for (std::size_t i = 0; i < std::min(reading.groups.size(), most_groups); ++i) {
    const Group& group = reading.groups[i].second;
    section.html += fmt::format("<section class=\"group\"><h3>{}</h3>\n", escaped(group.title));
    section.html += charts(group, fmt::format("bench-{}", i)) + numbers(group) + "</section>\n";
  }
  if (reading.groups.size() > most_groups) {
    section.html +=
        fmt::format("<p>And {} more kinds of calls, which are not shown.</p>\n", reading.groups.size() - most_groups);
  }
  if (!reading.notes.empty()) section.html += "<h3>Notes of the benchmark</h3>\n<ul>";
  for (std::size_t i = 0; i < std::min<std::size_t>(reading.notes.size(), 100); ++i) {
    section.html += "<li>" + escaped(reading.notes[i]) + "</li>";
  }
  if (!reading.notes.empty()) section.html += "</ul>\n";
  section.gist = gist_of(reading);
  return section;
}

}  // namespace tutti::report
