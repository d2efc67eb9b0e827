/// @file  The matrix of `nvidia-smi topo -m`, in all its dialects and as people paste it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "topology/cpu_list.hpp"
#include "topology/nvlink_status.hpp"
#include "topology/pasted_matrix.hpp"
#include "topology/reader.hpp"
#include "topology/smi.hpp"
#include "topology/smi_nvlinks.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr std::size_t max_disagreements = 20;  // that are named one by one

/// "NV12", "SYS", "X"; "N/A" and "-" say that nothing is known.
std::size_t class_length(std::string_view text) {
  if (text.starts_with("NV") && text.size() > 2 && text[2] >= '0' && text[2] <= '9') {
    return std::min(text.find_first_not_of("0123456789", 2), text.size());
  }
  for (const std::string_view name : {"NODE", "SYS", "PHB", "PXB", "PIX", "SOC", "C2C", "N/A"}) {
    if (text.starts_with(name)) return name.size();
  }
  if (text.starts_with('X') && (text.size() < 2 || text[1] < 'a' || text[1] > 'z')) return 1;
  return text == "-" || text.starts_with("- ") || text.starts_with("-\t") ? 1 : 0;
}

/// The fields after the cells. Tabs keep empty ones apart; blanks do not, and then their form tells.
struct Affinity {
  std::string cpus{};
  std::string nodes{};
  std::string gpu_node{};
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> fields_between(std::string_view text, char separator) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(separator, at), text.size());
    fields.emplace_back(trim(text.substr(at, end - at)));
    at = end + 1;
  }
  return fields;
}

Affinity affinity_after(std::string_view rest, const std::string& titles) {
  Affinity found;
  const bool has_nodes = titles.find("NUMA Aff") != std::string::npos;
  while (!rest.empty() && (rest.back() == '"' || rest.back() == ',')) rest.remove_suffix(1);
  if (rest.find('\t') != std::string_view::npos) {
    auto fields = fields_between(rest, '\t');
    if (!fields.empty() && fields.front().empty()) fields.erase(fields.begin());  // before the first tab
    if (!fields.empty()) found.cpus = fields[0];
    if (fields.size() > 1 && has_nodes) found.nodes = fields[1];
    for (std::size_t i = 2; i < fields.size(); ++i) {
      if (!fields[i].empty()) found.gpu_node = fields[i];
    }
    return found;
  }
  auto list = words(rest);
  if (titles.find("GPU NUMA") != std::string::npos && (list.size() > 2 || (!list.empty() && list.back() == "N/A"))) {
    found.gpu_node = list.back();
    list.pop_back();
  }
  if (list.size() >= 2) {
    found.cpus = list[0];
    found.nodes = list[1];
  } else if (list.size() == 1) {
    (has_nodes && is_number(list[0]) ? found.nodes : found.cpus) = list[0];
  }
  return found;
}

class MatrixReading {
 public:
  MatrixReading(const PastedMatrix& matrix, const std::vector<PastedLine>& lines, const std::string& name)
      : matrix_(matrix), lines_(lines), name_(name) {
    parts_.name = name;
    parts_.source = smi_topo_reader.kind;
    parts_.hosts.emplace_back();
  }

  TopologyParts read() {
    add_devices();
    for (const PastedRow& row : matrix_.rows) read_row(row);
    pairs();
    affinities();
    return std::move(parts_);
  }

 private:
  void note(std::size_t line, const std::string& what) {
    parts_.notes.push_back(fmt::format("line {}: {}", line, what));
  }

  void add_devices() {
    const auto legend = nic_legend();
    for (const std::string& column : matrix_.columns) {
      std::string_view number = column;
      if (std::count(matrix_.columns.begin(), matrix_.columns.end(), column) > 1) {
        smi::refuse(name_, matrix_.line, fmt::format("{} heads two columns", column));
      }
      if (take(number, "GPU")) {
        const int index = take_number(number);
        if (index < 0) smi::refuse(name_, matrix_.line, fmt::format("{} is no GPU of this world", column));
        ids_[column] = smi::gpu_numbered(parts_, index);
      } else {
        const auto known = legend.find(column);
        Device nic{.kind = DeviceKind::nic, .name = known == legend.end() ? column : known->second};
        ids_[column] = parts_.add(std::move(nic));
      }
    }
  }

  /// "  NIC0: mlx5_0"
  std::map<std::string, std::string> nic_legend() const {
    std::map<std::string, std::string> legend;
    for (const PastedLine& line : lines_) {
      const auto at = line.text.find("NIC");
      if (at == std::string::npos || line.number < matrix_.line) continue;
      std::string_view rest = std::string_view(line.text).substr(at + 3);
      const int number = take_number(rest);
      rest = without_gap(rest);
      if (number < 0 || !(take(rest, ":") || take(rest, "="))) continue;
      rest = without_gap(rest);
      std::size_t length = 0;
      while (length < rest.size() && is_name_character(rest[length])) ++length;
      if (length > 0) legend.emplace(fmt::format("NIC{}", number), rest.substr(0, length));
    }
    return legend;
  }

  void read_row(const PastedRow& row) {
    if (row.cells.size() < matrix_.columns.size()) {
      smi::refuse(name_, row.line,
                  fmt::format("expected {} path classes (X, NV#, PIX, PXB, PHB, NODE, SYS) in the row of {}, found {} "
                              "before \"{}\"",
                              matrix_.columns.size(), row.label, row.cells.size(), shown(trim(row.rest), 40)));
    }
    const int from = ids_.at(row.label);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const int to = ids_.at(matrix_.columns[i]);
      const auto& cell = row.cells[i];
      if (from == to) {
        if (cell != "X") note(row.line, fmt::format("{} to itself is {}; X was expected", row.label, cell));
        continue;
      }
      if (cell == "X") {
        note(row.line, fmt::format("{} to {} is X, which a device is to itself only", row.label, matrix_.columns[i]));
      } else if (path_class_named(cell) && cell != "-") {
        cells_.emplace(std::pair(from, to), cell);
      }
    }
  }

  const std::string* cell(int from, int to) const {
    const auto at = cells_.find({from, to});
    return at == cells_.end() ? nullptr : &at->second;
  }

  /// What two rows say of one pair: once, and the earlier column's row counts.
  void pairs() {
    SmiNvLinks nvlinks(parts_);
    std::size_t disagreements = 0;
    std::size_t unknown = 0;
    const auto count = matrix_.columns.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = i + 1; k < count; ++k) {
        const int a = ids_.at(matrix_.columns[i]);
        const int b = ids_.at(matrix_.columns[k]);
        const std::string* there = cell(a, b);
        const std::string* back = cell(b, a);
        if (there && back && *there != *back && ++disagreements <= max_disagreements) {
          parts_.notes.push_back(
              fmt::format("{} to {} is {} in the row of {} and {} in the row of {}; the first counts", device(a).name,
                          device(b).name, *there, matrix_.columns[i], *back, matrix_.columns[k]));
        }
        const std::string* said = there ? there : back;
        if (!said) {
          ++unknown;
        } else {
          say(a, b, *said, nvlinks);
        }
      }
    }
    if (disagreements > max_disagreements) {
      parts_.notes.push_back(fmt::format("{} more pairs disagree", disagreements - max_disagreements));
    }
    nvlinks.resolve();
    name_missing_rows(unknown);
  }

  const Device& device(int id) const { return parts_.devices[static_cast<std::size_t>(id)]; }

  void say(int a, int b, const std::string& text, SmiNvLinks& nvlinks) {
    const PathClass path = *path_class_named(text);
    if (path != PathClass::nvlink) {
      parts_.stated.push_back({.from = a, .to = b, .path = path});
      return;
    }
    std::string_view digits = std::string_view(text).substr(2);
    const int links = take_number(digits);
    const bool gpus = device(a).kind == DeviceKind::gpu && device(b).kind == DeviceKind::gpu;
    if (links < 1 || links > 64 || !gpus) {
      parts_.notes.push_back(
          fmt::format("{} to {}: {} cannot be and is left out", device(a).name, device(b).name, text));
      return;
    }
    nvlinks.add(a, b, links);
  }

  void name_missing_rows(std::size_t unknown) {
    std::string missing;
    for (const std::string& column : matrix_.columns) {
      const bool there = std::any_of(matrix_.rows.begin(), matrix_.rows.end(),
                                     [&](const PastedRow& row) { return row.label == column; });
      if (!there) missing += (missing.empty() ? "" : ", ") + column;
    }
    if (missing.empty()) return;
    note(matrix_.line, fmt::format("there is no row for {}; the other rows say how these are reached{}", missing,
                                   unknown > 0 ? ", but not how they reach one another" : ""));
  }

  void affinities() {
    std::map<std::string, std::set<int>> lists;  // of NUMA nodes, in the words of the source
    for (const PastedRow& row : matrix_.rows) {
      Device& gpu = parts_.devices[static_cast<std::size_t>(ids_.at(row.label))];
      if (gpu.kind != DeviceKind::gpu) continue;
      const Affinity said = affinity_of(row);
      if (!said.cpus.empty() && said.cpus != "N/A") gpu.attributes["cpu_affinity"] = said.cpus;
      if (!said.gpu_node.empty() && said.gpu_node != "N/A") gpu.attributes["gpu_numa_id"] = said.gpu_node;
      if (said.nodes.empty() || said.nodes == "N/A") continue;
      const auto nodes = parse_cpu_list(said.nodes);
      if (!nodes || nodes->empty() || nodes->back() > 4095) {
        note(row.line, fmt::format("NUMA affinity \"{}\" of {} is no list of nodes", shown(said.nodes, 40), row.label));
        continue;
      }
      if (nodes->size() == 1) gpu.numa_node = nodes->front();
      if (nodes->size() > 1) gpu.attributes["numa_affinity"] = said.nodes;
      lists[said.nodes].insert(nodes->begin(), nodes->end());
    }
    settle_lists(lists);
    add_nodes();
  }

  Affinity affinity_of(const PastedRow& row) const {
    if (matrix_.titles_before.find("Affinity") == std::string::npos) {
      std::string rest = row.rest;
      std::replace(rest.begin(), rest.end(), '|', '\t');
      return affinity_after(rest, matrix_.titles_after);
    }
    const auto titles = fields_between(matrix_.titles_before, '|');
    const auto fields = fields_between(row.before, '|');
    Affinity found;
    for (std::size_t i = 0; i < std::min(titles.size(), fields.size()); ++i) {
      if (titles[i] == "CPU Affinity") found.cpus = fields[i];
      if (titles[i] == "NUMA Affinity") found.nodes = fields[i];
      if (titles[i] == "GPU NUMA ID") found.gpu_node = fields[i];
    }
    return found;
  }

  /// A list of several nodes is one place only where other GPUs have another list: then its first node has the CPUs,
  /// and the others are memory of GPUs.
  void settle_lists(const std::map<std::string, std::set<int>>& lists) {
    std::set<int> all;
    std::size_t sum = 0;
    for (const auto& [text, nodes] : lists) {
      all.insert(nodes.begin(), nodes.end());
      sum += nodes.size();
    }
    const bool apart = lists.size() > 1 && sum == all.size();
    for (Device& gpu : parts_.devices) {
      const auto list = gpu.attributes.find("numa_affinity");
      if (list == gpu.attributes.end() || !apart) continue;
      gpu.numa_node = *lists.at(list->second).begin();
    }
  }

  void add_nodes() {
    std::map<int, std::set<int>> cpus;
    for (const Device& gpu : parts_.devices) {
      if (gpu.kind != DeviceKind::gpu || gpu.numa_node < 0) continue;
      auto& of_node = cpus[gpu.numa_node];
      const auto said = gpu.attributes.find("cpu_affinity");
      if (said == gpu.attributes.end()) continue;
      if (const auto list = parse_cpu_list(said->second)) of_node.insert(list->begin(), list->end());
    }
    for (const auto& [node, list] : cpus) {
      parts_.hosts[0].numa_nodes.push_back({.index = node, .cpus = {list.begin(), list.end()}});
      parts_.add(Device{.kind = DeviceKind::cpu, .name = fmt::format("numa{}", node), .numa_node = node});
    }
  }

  const PastedMatrix& matrix_;
  const std::vector<PastedLine>& lines_;
  const std::string& name_;
  TopologyParts parts_;
  std::map<std::string, int> ids_;
  std::map<std::pair<int, int>, std::string> cells_;
};

Topology read_smi_topo(std::string_view text, const std::string& name) {
  const auto lines = smi::lines_of(text, name);
  const auto matrices = pasted_matrices(lines, class_length);
  const auto whole = std::find_if(matrices.begin(), matrices.end(), [](const PastedMatrix& matrix) {
    return std::any_of(matrix.rows.begin(), matrix.rows.end(),
                       [](const PastedRow& row) { return row.cells.size() >= 2 || row.rest.empty(); });
  });
  const PastedMatrix* matrix = whole != matrices.end() ? &*whole : matrices.empty() ? nullptr : &matrices.front();
  if (!matrix) smi::refuse(name, 1, "expected a matrix of GPUs, found none");
  TopologyParts parts = MatrixReading(*matrix, lines, name).read();
  for (const PastedMatrix& other : matrices) {
    if (other.line <= matrix->line) continue;
    parts.notes.push_back(fmt::format("line {}: a second matrix begins here and is passed over", other.line));
  }
  smi::add_models(parts, lines);
  smi::add_nvlink_status(parts, lines, name);
  smi::add_peer_access(parts, lines, name);
  use_nvlink_status(parts);
  smi::add_partitions(parts, lines);
  return Topology(std::move(parts));
}

}  // namespace

const Reader smi_topo_reader{.kind = "smi-topo",
                             .what = "`nvidia-smi topo -m`",
                             .recognises = [](std::string_view text) { return has_matrix(text, class_length); },
                             .read = read_smi_topo};

}  // namespace tutti
