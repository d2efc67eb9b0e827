#include "topology/pasted_matrix.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr std::size_t most_looked_at = std::size_t{2} << 20;  // bytes

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && digit(text[at + count])) ++count;
  return count;
}

/// The length of "GPU12", "NIC3", "mlx5_0", or of another name with a digit in it; 0: no name is there. Known forms end
/// after their last digit, so that names which lost the blank between them are told apart.
std::size_t label_length(std::string_view text) {
  for (const std::string_view start : {"GPU", "NIC"}) {
    if (!text.starts_with(start)) continue;
    const auto digits = digits_at(text, 3);
    return digits == 0 ? 0 : 3 + digits;
  }
  if (text.starts_with("mlx")) {
    const auto number = digits_at(text, 3);
    auto at = 3 + number;
    if (number > 0 && at < text.size() && text[at] == '_') {
      ++at;
      if (text.substr(at).starts_with("bond_")) at += 5;
      if (const auto port = digits_at(text, at); port > 0) return at + port;
    }
  }
  std::size_t length = 0;
  bool has_digit = false;
  while (length < text.size() && is_name_character(text[length])) has_digit |= digit(text[length++]);
  return has_digit && std::isalpha(static_cast<unsigned char>(text.front())) != 0 ? length : 0;
}

/// Do the titles, or what a broken line shows of them, tell of affinities?
bool are_titles(std::string_view text) {
  text = trim(without_gap(text));
  while (!text.empty() && (text.back() == '"' || text.back() == ',' || text.back() == '|'))
    text = trim(text.substr(0, text.size() - 1));
  if (text.empty()) return true;
  for (const std::string_view title : {"CPU Affinity", "NUMA Affinity", "GPU NUMA ID"}) {
    if (text.starts_with(title) || title.starts_with(text)) return true;
  }
  return false;
}

struct Head {
  std::vector<std::string> columns{};
  std::string before{};
  std::string after{};
};

/// A head is names from the first GPU on, and nothing after them but titles.
std::optional<Head> parse_head(std::string_view line, std::size_t most = max_columns) {
  std::size_t at = std::string_view::npos;
  for (std::size_t from = 0; (from = line.find("GPU", from)) != std::string_view::npos; from += 3) {
    if (digits_at(line, from + 3) == 0 || (from > 0 && !ends_prefix(line[from - 1]))) continue;
    at = from;
    break;
  }
  if (at == std::string_view::npos) return {};
  Head head{.before = std::string(line.substr(0, at))};
  auto rest = line.substr(at);
  while (true) {
    rest = without_gap(rest);
    const auto length = rest.empty() ? 0 : label_length(rest);
    if (length == 0 || head.columns.size() > most) break;
    head.columns.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  if (head.columns.empty() || head.columns.size() > most || !are_titles(rest)) return {};
  head.after = rest;
  return head;
}

class Reading {
 public:
  Reading(const std::vector<PastedLine>& lines, CellLength cell) : lines_(lines), cell_(cell) {}

  std::vector<PastedMatrix> read() {
    constexpr int most_in_vain = 10'000;  // heads without rows
    int in_vain = 0;
    std::vector<PastedMatrix> found;
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      if (lines_[at_].text.find("GPU") == std::string::npos) continue;
      auto head = parse_head(lines_[at_].text);
      if (!head) continue;
      PastedMatrix matrix{.line = lines_[at_].number, .above = line_above(at_)};
      const auto begin = at_;
      use(matrix, std::move(*head));
      if (complete_head(matrix)) {
        rows(matrix);
        found.push_back(std::move(matrix));
        --at_;  // the line that ended it may be the next head
      } else {
        at_ = begin;
        if (++in_vain == most_in_vain) break;
      }
    }
    return found;
  }

 private:
  static void use(PastedMatrix& matrix, Head head) {
    matrix.columns = std::move(head.columns);
    matrix.titles_before = std::move(head.before);
    matrix.titles_after = std::move(head.after);
  }

  std::string line_above(std::size_t at) const {
    for (std::size_t up = 1; up <= 3 && up <= at; ++up) {
      if (!trim(lines_[at - up].text).empty()) return lines_[at - up].text;
    }
    return {};
  }

  /// Moves to the first row; lines between are the rest of a head that a terminal broke. False: no row follows.
  bool complete_head(PastedMatrix& matrix) {
    std::string text = lines_[at_].text;
    for (int ahead = 0; ahead < 12 && ++at_ < lines_.size();) {
      const auto& line = lines_[at_].text;
      if (trim(line).empty()) continue;
      ++ahead;
      if (row_of(matrix, line)) return true;
      if (without_gap(line).find_first_not_of("-=+:| \t") == std::string_view::npos) continue;  // a ruler
      if (const auto other = parse_head(line); other && other->columns.front() == matrix.columns.front()) return false;
      if (text.size() + line.size() > 65'536) continue;
      auto longer = parse_head(text + line);
      if (!longer) continue;
      text += line;
      use(matrix, std::move(*longer));
    }
    return false;
  }

  /// The row that a line is or begins.
  std::optional<PastedRow> row_of(const PastedMatrix& matrix, std::string_view line) const {
    for (std::size_t from = 0; from < line.size(); ++from) {
      if (from > 0 && (!ends_prefix(line[from - 1]) || is_gap(line[from]))) continue;
      const auto length = label_length(line.substr(from));
      if (length == 0) continue;
      const auto label = line.substr(from, length);
      if (std::find(matrix.columns.begin(), matrix.columns.end(), label) == matrix.columns.end()) continue;
      const auto rest = line.substr(from + length);
      if (cell_(without_gap(rest)) == 0) continue;
      PastedRow row{.label = std::string(label), .before = std::string(line.substr(0, from))};
      fill(matrix, row, rest);
      return row;
    }
    return {};
  }

  void fill(const PastedMatrix& matrix, PastedRow& row, std::string_view text) const {
    row.cells.clear();
    row.rest = text;
    while (row.cells.size() < matrix.columns.size()) {
      text = without_gap(text);
      const auto length = cell_(text);
      if (length == 0) break;
      row.cells.emplace_back(text.substr(0, length));
      text.remove_prefix(length);
      row.rest = text;
    }
  }

  void rows(PastedMatrix& matrix) {
    std::string open;  // what follows the label of the last row
    for (; at_ < lines_.size(); ++at_) {
      const std::string& line = lines_[at_].text;
      if (auto row = row_of(matrix, line)) {
        row->line = lines_[at_].number;
        const bool again = std::any_of(matrix.rows.begin(), matrix.rows.end(),
                                       [&](const PastedRow& known) { return known.label == row->label; });
        if (again) return;  // another matrix, whose head was lost
        open = line.substr(row->before.size() + row->label.size());
        matrix.rows.push_back(std::move(*row));
        continue;
      }
      if (trim(line).empty()) continue;
      if (line.find("Legend") != std::string::npos || parse_head(line)) return;
      continue_row(matrix, open, line);
    }
  }

  /// A terminal breaks lines anywhere, also within a cell.
  void continue_row(PastedMatrix& matrix, std::string& open, const std::string& line) const {
    PastedRow& last = matrix.rows.back();
    if (open.size() + line.size() > 65'536) return;
    const bool whole = last.cells.size() == matrix.columns.size();
    const bool numbers = line.find_first_not_of("0123456789,- \tN/A") == std::string::npos;
    if (whole && !(numbers && !matrix.titles_after.empty())) return;
    PastedRow longer = last;
    fill(matrix, longer, open + line);
    if (longer.cells.size() <= last.cells.size() && !whole) return;
    open += line;
    last = std::move(longer);
  }

  const std::vector<PastedLine>& lines_;
  CellLength cell_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<PastedMatrix> pasted_matrices(const std::vector<PastedLine>& lines, CellLength cell) {
  return Reading(lines, cell).read();
}

std::optional<MatrixHead> matrix_head(std::string_view text) {
  constexpr std::size_t most_columns_counted = 1 << 16;
  std::size_t number = 0;
  std::size_t tries = 0;
  text = text.substr(0, most_looked_at);
  while (!text.empty() && tries < 1000) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.find("GPU") == std::string_view::npos) continue;
    ++tries;
    const auto head = parse_head(line, most_columns_counted);
    const bool titled = head && !trim(without_gap(head->after)).empty();
    if (head && (head->columns.size() > 1 || titled)) return MatrixHead{number, head->columns.size()};
  }
  return {};
}

bool has_matrix(std::string_view text, CellLength cell) {
  if (text.find("GPU") == std::string_view::npos) return false;
  for (const PastedMatrix& matrix : pasted_matrices(pasted_lines(text.substr(0, most_looked_at)), cell)) {
    for (const PastedRow& row : matrix.rows) {
      if (row.cells.size() >= std::min<std::size_t>(2, matrix.columns.size())) return true;
    }
  }
  return false;
}

}  // namespace tutti
