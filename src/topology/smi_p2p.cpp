/// @file  The matrices of `nvidia-smi topo -p2p`: which GPUs may reach into which others' memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "topology/pasted_matrix.hpp"
#include "topology/reader.hpp"
#include "topology/smi.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr std::size_t max_named = 8;  // pairs in one note

struct Answer {
  std::string_view cell;
  std::string_view meaning;  ///< empty: yes
};
constexpr std::array<Answer, 7> answers{{{"OK", ""},
                                         {"CNS", "not supported by the chipset"},
                                         {"GNS", "not supported by the GPU"},
                                         {"TNS", "not supported by the topology"},
                                         {"NS", "not supported"},
                                         {"DR", "disabled in the driver's settings"},
                                         {"U", "unknown"}}};

std::size_t answer_length(std::string_view text) {
  for (const Answer& answer : answers) {
    if (text.starts_with(answer.cell)) return answer.cell.size();
  }
  return text.starts_with('X') && (text.size() < 2 || text[1] < 'a' || text[1] > 'z') ? 1 : 0;
}

/// From the command that people paste with its output; "p2p" when they did not.
std::pair<const char*, const char*> attribute_and_word(std::string_view above) {
  if (const auto at = above.find("-p2p"); at != std::string_view::npos) {
    const auto mode = trim(above.substr(at + 4));
    switch (mode.empty() ? ' ' : mode.front()) {
      case 'r':
        return {"p2p_read", "reading"};
      case 'w':
        return {"p2p_write", "writing"};
      case 'n':
        return {"p2p_nvlink", "access over NVLink"};
      case 'a':
        return {"p2p_atomics", "atomics"};
      case 'p':
        return {"p2p_pci", "access over PCI"};
      default:
        break;
    }
  }
  return {"p2p", "access"};
}

int gpu_index(std::string_view column) { return take(column, "GPU") ? take_number(column) : -1; }

void add_matrix(TopologyParts& parts, const PastedMatrix& matrix, const std::string& name) {
  const auto [attribute, word] = attribute_and_word(matrix.above);
  std::string named;
  std::size_t refused = 0;
  for (const PastedRow& row : matrix.rows) {
    if (row.cells.size() < matrix.columns.size()) {
      smi::refuse(name, row.line,
                  fmt::format("expected {} of X, OK, CNS, GNS, TNS, NS, DR, U in the row of {}, found {} before \"{}\"",
                              matrix.columns.size(), row.label, row.cells.size(), shown(trim(row.rest), 40)));
    }
    const int from = gpu_index(row.label);
    if (from < 0) continue;
    std::string cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const int to = gpu_index(matrix.columns[i]);
      if (to < 0 || to == from) continue;
      cells += fmt::format("{}gpu{}={}", cells.empty() ? "" : " ", to, row.cells[i]);
      const auto answer =
          std::find_if(answers.begin(), answers.end(), [&](const Answer& a) { return a.cell == row.cells[i]; });
      if (answer == answers.end() || answer->meaning.empty() || refused++ >= max_named) continue;
      named += fmt::format("{}{} to {} ({})", named.empty() ? "" : ", ", row.label, matrix.columns[i], answer->meaning);
    }
    const int id = smi::gpu_numbered(parts, from);
    if (!cells.empty()) parts.devices[static_cast<std::size_t>(id)].attributes.emplace(attribute, cells);
  }
  if (refused == 0) return;
  if (refused > max_named) named += fmt::format(" and {} more", refused - max_named);
  parts.notes.push_back(fmt::format("line {}: no {} between GPUs: {}", matrix.line, word, named));
}

Topology read_smi_p2p(std::string_view text, const std::string& name) {
  const auto lines = smi::lines_of(text, name);
  TopologyParts parts{.name = name, .source = std::string(smi_p2p_reader.kind), .hosts = {HostFacts{}}};
  if (!smi::add_peer_access(parts, lines, name)) smi::refuse(name, 1, "expected a matrix of GPUs, found none");
  smi::add_models(parts, lines);
  smi::add_nvlink_status(parts, lines, name);
  return Topology(std::move(parts));
}

}  // namespace

namespace smi {

bool add_peer_access(TopologyParts& parts, const std::vector<PastedLine>& lines, const std::string& name) {
  bool any = false;
  for (const PastedMatrix& matrix : pasted_matrices(lines, answer_length)) {
    const bool real = std::any_of(matrix.rows.begin(), matrix.rows.end(), [&](const PastedRow& row) {
      return row.cells.size() >= std::min<std::size_t>(2, matrix.columns.size());
    });
    if (!real) continue;  // a matrix of another kind, of which only X fits
    if (matrix.columns.size() > 1 || !any) add_matrix(parts, matrix, name);
    any = true;
  }
  return any;
}

bool has_peer_access(std::string_view text) { return has_matrix(text, answer_length); }

}  // namespace smi

const Reader smi_p2p_reader{
    .kind = "smi-p2p", .what = "`nvidia-smi topo -p2p`", .recognises = smi::has_peer_access, .read = read_smi_p2p};

}  // namespace tutti
