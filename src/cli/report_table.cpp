/// @file  Tables of a page, which scroll by themselves where the window is narrow.
#include <fmt/format.h>

#include "cli/report_section.hpp"
#include "cli/report_text.hpp"

namespace tutti::report {

std::string table_row(const std::vector<std::string>& cells, std::string_view look) {
  std::string html = look.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", look);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    html += i == 0 ? "<th scope=\"row\">" + escaped(cells[i]) + "</th>" : "<td>" + escaped(cells[i]) + "</td>";
  }
  return html + "</tr>\n";
}

std::string table_head(std::string_view caption, const std::vector<std::string>& columns) {
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{0}\"><table><caption>{0}</caption><thead><tr>",
      escaped(caption));
  for (const std::string& column : columns) {
    html += column.empty() ? "<td></td>" : "<th scope=\"col\">" + escaped(column) + "</th>";
  }
  return html + "</tr></thead><tbody>\n";
}

}  // namespace tutti::report
