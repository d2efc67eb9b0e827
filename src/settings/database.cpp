#include "settings/database.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "base/nearest.hpp"
#include "settings/tables.hpp"
#include "tutti/base/error.hpp"

namespace tutti::settings {

namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The fields of a row, without blanks around; those that are missing are empty.
std::array<std::string_view, 6> fields_of(std::string_view row) {
  std::array<std::string_view, 6> fields{};
  for (std::string_view& field : fields) {
    const auto bar = row.find('|');
    field = trim(row.substr(0, bar));
    row = bar == std::string_view::npos ? std::string_view{} : row.substr(bar + 1);
  }
  return fields;
}

template <class MakeVariable>
void add_table(std::string_view table, std::vector<Variable>& to, MakeVariable make) {
  while (!table.empty()) {
    const auto end = std::min(table.find('\n'), table.size());
    const auto row = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    if (!trim(row).empty()) to.push_back(make(fields_of(row)));
  }
}

Version version_in_table(std::string_view text) {
  const auto version = parse_version(text);
  if (!version) throw Error(Code::internal, "a table of settings has no version \"" + std::string(text) + '"');
  return *version;
}

using Fields = std::array<std::string_view, 6>;

Variable nccl_row(const Fields& f) {
  Variable variable{
      .name = f[0], .owner = "NCCL", .since = version_in_table(f[1]), .standard = f[2], .kind = f[3], .meaning = f[4]};
  if (const auto blank = f[5].find(' '); blank != std::string_view::npos) {
    variable.status = Status::deprecated;
    if (f[5][0] != '-') variable.deprecated = version_in_table(f[5].substr(0, blank));
    variable.instead = f[5].substr(blank + 1);
  }
  return variable;
}

Variable gone_row(const Fields& f) {
  return {.name = f[0],
          .owner = "NCCL",
          .status = Status::removed,
          .since = version_in_table(f[1]),
          .until = version_in_table(f[2]),
          .kind = "text",
          .meaning = f[3],
          .instead = f[4]};
}

std::string sorted(std::string_view text) {
  std::string letters(text);
  std::sort(letters.begin(), letters.end());
  return letters;
}

constexpr std::array<std::string_view, 4> prefixes = {"NCCL_", "TUTTI_", "UCX_", "OMPI_MCA_"};

}  // namespace

Database::Database() {
  add_table(nccl_table, variables_, nccl_row);
  add_table(nccl_gone_table, variables_, gone_row);
  add_table(nccl_never_table, variables_, [](const Fields& f) {
    return Variable{.name = f[0], .owner = "NCCL", .status = Status::never, .meaning = f[2], .instead = f[1]};
  });
  add_table(foreign_table, variables_, [](const Fields& f) {
    return Variable{.name = f[0], .owner = f[1], .status = Status::foreign, .meaning = f[2], .instead = f[3]};
  });
  add_table(tutti_table, variables_, [](const Fields& f) {
    return Variable{.name = f[0], .owner = "tutti", .standard = f[1], .kind = f[2], .meaning = f[3]};
  });
  add_table(mpi_table, variables_, [](const Fields& f) {
    return Variable{.name = f[0], .owner = "Open MPI", .kind = f[1], .meaning = f[2], .instead = f[3]};
  });
  add_table(ucx_table, variables_,
            [](const Fields& f) { return Variable{.name = f[0], .owner = "UCX", .kind = f[1], .meaning = f[2]}; });
}

const Database& Database::all() {
  static const Database database;
  return database;
}

const Variable* Database::find(std::string_view name) const {
  const Variable* family = nullptr;
  for (const Variable& variable : variables_) {
    if (variable.name == name) return &variable;
    if (!variable.is_family() || !name.starts_with(variable.name.substr(0, variable.name.size() - 1))) continue;
    if (family == nullptr || family->name.size() < variable.name.size()) family = &variable;
  }
  return family;
}

Database::Guess Database::nearest(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Variable& variable : variables_) {
    const bool real = variable.status == Status::read || variable.status == Status::deprecated;
    if (real && !variable.is_family()) names.push_back(variable.name);
  }
  const std::string_view best = tutti::nearest(name, names);
  const std::size_t distance = edit_distance(name, best);
  // A quarter of what follows the prefix may be wrong, but never so much that it is another word; two letters that
  // changed places are one slip.
  const auto letters = name.size() - std::min(name.find('_') + 1, name.size());
  const std::size_t most = sorted(name) == sorted(best) ? 2 : std::clamp<std::size_t>(letters / 4, 1, 4);
  return distance <= most ? Guess{.variable = find(best), .distance = distance} : Guess{};
}

bool is_ours(std::string_view name) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix) && name != prefix; });
}

std::optional<std::string> mended_prefix(std::string_view name) {
  if (is_ours(name)) return std::nullopt;
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper != name && is_ours(upper) && !upper.starts_with("OMPI")) return upper;
  const auto end = name.find('_');
  if (end == std::string_view::npos || end < 3) return std::nullopt;
  for (const std::string_view prefix : {std::string_view("NCCL"), std::string_view("TUTTI")}) {
    // Other libraries are one letter off: RCCL_, ACCL_. Only a swap or a repetition is a slip.
    std::string written = sorted(name.substr(0, end));
    std::string right = sorted(prefix);
    written.erase(std::unique(written.begin(), written.end()), written.end());
    right.erase(std::unique(right.begin(), right.end()), right.end());
    if (written != right) continue;
    const std::string mended = std::string(prefix) + std::string(name.substr(end));
    const Variable* found = Database::all().find(mended);
    if (found != nullptr && !found->is_family()) return mended;
  }
  return std::nullopt;
}

}  // namespace tutti::settings
