#include "cli/report_page.hpp"

#include <fmt/format.h>

#include "cli/report_style.hpp"
#include "cli/report_text.hpp"

namespace tutti::report {

namespace {

std::string provenance_html(const Provenance& provenance) {
  std::string html = "<section aria-labelledby=\"provenance\"><h2 id=\"provenance\">Provenance</h2>\n";
  html += fmt::format("<p>Made by tutti {} on {}, {}.</p>\n", TUTTI_VERSION, escaped(provenance.host),
                      escaped(provenance.date));
  if (!provenance.command.empty()) html += "<p>Command: <code>" + escaped(provenance.command) + "</code></p>\n";
  html += "<div class=\"provenance\">" + table_head("Where each part comes from", {"part", "from", "made"});
  for (const Origin& origin : provenance.origins) html += table_row({origin.part, origin.from, origin.made});
  return html + std::string(table_end) + "</div></section>\n";
}

}  // namespace

std::string page(const std::vector<Section>& sections, const Provenance& provenance) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"tutti {}\">\n<title>tutti report: "
      "{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      TUTTI_VERSION, escaped(provenance.title), style());
  html += fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"soft\">Report by tutti {}, {}</p>\n<nav aria-label=\"Sections\">"
      "<ul class=\"gists\">\n",
      escaped(provenance.title), TUTTI_VERSION, escaped(provenance.date));
  for (const Section& section : sections) {
    html += fmt::format("<li><a href=\"#{}\">{}</a>{}</li>\n", section.id, section.title, escaped(section.gist));
  }
  html += "</ul></nav>\n</header>\n<main>\n";
  for (const Section& section : sections) {
    html += fmt::format("<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", section.id,
                        section.title, section.html);
  }
  return html + provenance_html(provenance) + "</main>\n</body>\n</html>\n";
}

}  // namespace tutti::report
