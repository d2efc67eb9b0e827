/// @file  Choice: the ways that a call could take, with times where there are prices, and why the others lost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report_chart.hpp"
#include "cli/report_json.hpp"
#include "cli/report_section.hpp"
#include "cli/report_text.hpp"

namespace tutti::report {

namespace {

std::string time_of(double us) {
  if (us >= 1e6) return fmt::format("{:.4g}\u00a0s", us / 1e6);
  return us >= 1e4 ? fmt::format("{:.4g}\u00a0ms", us / 1e3) : fmt::format("{:.4g}\u00a0µs", us);
}

/// A bar that shows how far `value` is of `most`; the number stands beside it.
std::string bar(double value, double most) {
  const double part = most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0;
  return fmt::format(
      "<svg class=\"bar\" aria-hidden=\"true\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\"><rect "
      "width=\"{:.1f}\" height=\"10\"/></svg>",
      100 * part);
}

std::string way(const JsonPlace& candidate) { return candidate.text("pattern") + " " + candidate.text("protocol"); }

void priced(const JsonPlace& file, Section& section) {
  std::vector<JsonPlace> possible;
  std::vector<JsonPlace> excluded;
  double longest = 0;
  for (const JsonPlace& each : file.list("candidates")) {
    if (each.has("excluded")) {
      excluded.push_back(each);
      continue;
    }
    possible.push_back(each);
    longest = std::max(longest, each.number("time_us"));
  }
  const std::string call =
      fmt::format("{} of {}B among {:.0f} ranks of {}", file.text("collective"), short_bytes(file.number("size_bytes")),
                  file.number("ranks"), file.text("platform"));
  section.html += fmt::format("<h3>{}</h3>\n", escaped(call));
  if (!possible.empty()) {
    const JsonPlace& best = possible.front();
    const double spread = std::exp(std::min(best.number_or("uncertainty", 0), 20.0));
    const double us = best.number("time_us");
    section.gist = fmt::format("{}: {}, about {}", file.text("collective"), way(best), time_of(us));
    section.html += fmt::format("<p>Cheapest: <strong>{}</strong>, {}, most likely {} to {}; limited by {}.</p>\n",
                                escaped(way(best)), time_of(us), time_of(us / spread), time_of(us * spread),
                                escaped(best.text_or("bottleneck", "nothing that is known")));
    section.html += table_head("Ways this call could take, the cheapest first",
                               {"candidate", "time", "", "as long as the best", "± %", "limited by"});
    for (const JsonPlace& each : possible) {
      const double time = each.number("time_us");
      section.html += fmt::format(
          "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{:.2f}×</td><td>{:.0f}</td><td "
          "class=\"words\">{}</td></tr>\n",
          escaped(way(each)), time_of(time), bar(time, longest), us > 0 ? time / us : 1.0,
          100 * (std::exp(std::min(each.number_or("uncertainty", 0), 20.0)) - 1),
          escaped(each.text_or("bottleneck", "")));
    }
    section.html += table_end;
    if (best.has("terms")) {
      section.html += "<h3>What the time of the cheapest is made of</h3>\n";
      section.html += table_head("Parts of the time of the cheapest way", {"part", "time", ""});
      for (const JsonPlace& term : best.list("terms")) {
        section.html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
                                    escaped(term.text("what")), time_of(term.number("us")), bar(term.number("us"), us));
      }
      section.html += table_end;
    }
  }
  const auto turns = file.list_or_none("cheapest_from");
  if (!turns.empty()) {
    section.html += "<h3>Cheapest from which size on</h3>\n";
    section.html += table_head("From each size on, up to the next, this way is the cheapest", {"from", "way"});
    for (const JsonPlace& turn : turns) {
      section.html += table_row({short_bytes(turn.number("size_bytes")), way(turn)});
    }
    section.html += table_end;
  }
  if (excluded.empty()) return;
  // Many ways fail for one reason.
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const JsonPlace& each : excluded) {
    const std::string why = each.text("excluded");
    auto at = std::find_if(reasons.begin(), reasons.end(), [&](const auto& reason) { return reason.first == why; });
    if (at == reasons.end()) at = reasons.insert(reasons.end(), {why, {}});
    at->second += (at->second.empty() ? "" : ", ") + way(each);
  }
  section.html += "<h3>Excluded</h3>\n" + table_head("Why this call cannot take other ways", {"reason", "ways"});
  for (const auto& [why, ways] : reasons) section.html += table_row({why, ways}, "words");
  section.html += table_end;
}

void chosen_here(const JsonPlace& file, Section& section) {
  section.html += fmt::format("<h3>{}, {:.0f} ranks</h3>\n<p>Takes <strong>{}</strong>.</p>\n",
                              escaped(file.text("call")), file.number("ranks"), escaped(file.text("chosen")));
  section.gist = file.text("call") + ": " + file.text("chosen");
  section.html += table_head("Ways this call could take, and why it does not", {"way", "", "reason"});
  for (const JsonPlace& each : file.list("ways")) {
    const bool chosen = each.flag("chosen");
    const bool possible = each.flag("possible");
    section.html += table_row({each.text("way"),
                               chosen     ? "chosen"
                               : possible ? "possible"
                                          : "cannot",
                               each.text("reason")},
                              chosen ? "words chosen" : "words");
  }
  section.html += table_end;
  const auto turns = file.list_or_none("cheapest_from");
  if (turns.empty()) return;
  section.html += "<h3>Which way from which size on</h3>\n";
  section.html += table_head("From so many bytes of one rank on, up to the next, calls go this way", {"from", "way"});
  for (const JsonPlace& turn : turns) {
    section.html += table_row({short_bytes(turn.number("rank_bytes")), turn.text("way")});
  }
  section.html += table_end;
}

}  // namespace

Section explain_section(const std::string& name, std::string_view text) {
  Section section{.id = "choice", .title = "Choice", .gist = {}, .html = {}};
  const auto json = parse_object(text, name, "tutti explain --json");
  const JsonPlace file(json, name);
  if (file.has("candidates")) {
    priced(file, section);
  } else if (file.has("ways")) {
    chosen_here(file, section);
  } else {
    file.wrong("is not what `tutti explain --json` writes");
  }
  return section;
}

}  // namespace tutti::report
