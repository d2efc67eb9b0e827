#include "cli/study_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::cli {

void StudyTable::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < heads.size(); ++c) {
    std::size_t width = heads[c].size();
    for (const auto& row : rows) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  out << title << "\n\n";
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c)
      out << fmt::format("{}{:>{}}", c == 0 ? "" : "  ", cells[c], widths[c]);
    out << '\n';
  };
  line(heads);
  for (const auto& row : rows) line(row);
  for (const auto& remark : remarks) out << remark << '\n';
  out << '\n';
}

nlohmann::ordered_json StudyTable::json() const {
  using Json = nlohmann::ordered_json;
  Json all{{"title", title}, {"rows", Json::array()}, {"remarks", remarks}};
  for (const auto& row : rows) {
    Json each;
    for (std::size_t c = 0; c < heads.size(); ++c) each[heads[c]] = row[c];
    all["rows"].push_back(each);
  }
  return all;
}

}  // namespace tutti::cli
