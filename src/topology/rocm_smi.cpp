/// @file  `rocm-smi --showtopo`: weights, hops, kinds of links and NUMA nodes of AMD GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "topology/pasted_matrix.hpp"
#include "topology/pci_id.hpp"
#include "topology/rates.hpp"
#include "topology/reader.hpp"
#include "topology/smi.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr int max_gpus = 1024;

std::size_t cell_length(std::string_view text) {
  for (const std::string_view word : {"PCIE", "XGMI", "True", "False", "N/A", "XGMI"}) {
    if (text.starts_with(word)) return word.size();
  }
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits <= 9 ? digits : 0;
}

/// The value of "GPU[3]  : (Topology) Numa Node: 1", whatever stands before the key.
struct Fact {
  int gpu = 0;
  std::string_view value{};
};

std::optional<Fact> fact(std::string_view line, std::string_view key) {
  auto at = line.find("GPU[");
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + 4);
  Fact found{.gpu = take_number(line)};
  if (found.gpu < 0 || found.gpu >= max_gpus || !take(line, "]")) return {};
  at = line.find(key);
  if (at == std::string_view::npos) return {};
  line = trim(line.substr(at + key.size()));
  if (!take(line, ":")) return {};
  found.value = trim(line);
  return found;
}

class RocmReading {
 public:
  RocmReading(std::string_view text, const std::string& name) : lines_(smi::lines_of(text, name)), name_(name) {
    parts_.name = name;
    parts_.source = rocm_smi_reader.kind;
    parts_.hosts.emplace_back();
  }

  Topology read() {
    for (const PastedMatrix& matrix : pasted_matrices(lines_, cell_length)) table(matrix);
    for (const PastedLine& line : lines_) facts(line);
    if (parts_.devices.empty()) smi::refuse(name_, 1, "expected tables or lines of GPUs, found none");
    pairs();
    add_nodes();
    return Topology(std::move(parts_));
  }

 private:
  using Table = std::map<std::pair<int, int>, std::string>;

  Device& gpu(int index) { return parts_.devices[static_cast<std::size_t>(smi::gpu_numbered(parts_, index))]; }

  void table(const PastedMatrix& matrix) {
    std::string key;
    Table* into = nullptr;
    if (matrix.above.find("Weight") != std::string::npos) {
      key = "weights";
    } else if (matrix.above.find("Hops") != std::string::npos) {
      key = "hops";
      into = &hops_;
    } else if (matrix.above.find("Type") != std::string::npos) {
      into = &types_;
    } else if (matrix.above.find("ccess") != std::string::npos) {
      key = "accessible";
    }
    for (const PastedRow& row : matrix.rows) {
      if (row.cells.size() < matrix.columns.size()) {
        smi::refuse(name_, row.line,
                    fmt::format("expected {} cells in the row of {}, found {} before \"{}\"", matrix.columns.size(),
                                row.label, row.cells.size(), shown(trim(row.rest), 40)));
      }
      const int from = index_of(row.label, row.line);
      std::string cells;
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        cells += (cells.empty() ? "" : " ") + row.cells[i];
        if (into) (*into)[{from, index_of(matrix.columns[i], matrix.line)}] = row.cells[i];
      }
      if (!key.empty()) gpu(from).attributes.emplace(key, cells);
      gpu(from);
    }
  }

  int index_of(std::string_view label, std::size_t line) const {
    const int index = take(label, "GPU") ? take_number(label) : -1;
    if (index < 0 || index >= max_gpus) smi::refuse(name_, line, "expected GPU0, GPU1 and so on at the table");
    return index;
  }

  void facts(const PastedLine& line) {
    if (const auto node = fact(line.text, "Numa Node")) {
      int value = -1;
      const auto end = node->value.data() + node->value.size();
      const auto [stop, error] = std::from_chars(node->value.data(), end, value);
      if (error != std::errc{} || stop != end || value < -1 || value > 4095) {
        smi::refuse(name_, line.number, fmt::format("expected a NUMA node, found \"{}\"", shown(node->value, 40)));
      }
      gpu(node->gpu).numa_node = value;
    } else if (const auto affinity = fact(line.text, "Numa Affinity")) {
      Device& of = gpu(affinity->gpu);
      if (affinity->value != fmt::format("{}", of.numa_node)) of.attributes.emplace("numa_affinity", affinity->value);
    } else if (const auto bus = fact(line.text, "PCI Bus"); bus && pci_number(bus->value)) {
      gpu(bus->gpu).pci = normal_pci(bus->value);
    } else if (const auto series = fact(line.text, "Card Series")) {
      gpu(series->gpu).model = series->value;
    } else if (const auto gfx = fact(line.text, "GFX Version")) {
      gpu(gfx->gpu).attributes.emplace("gcn", gfx->value);
    }
  }

  void pairs() {
    bool inferred = false;
    for (const auto& [pair, type] : types_) {
      const auto [a, b] = pair;
      if (a == b) continue;
      const auto back = types_.find({b, a});
      if (back != types_.end() && back->second != type) {
        if (a < b) {
          parts_.notes.push_back(fmt::format("gpu{} to gpu{} is {} in one row and {} in the other; the first counts", a,
                                             b, type, back->second));
        }
      }
      if (a > b && back != types_.end()) continue;
      if (type == "XGMI") {
        xgmi(a, b);
      } else if (type == "PCIE") {
        parts_.stated.push_back({.from = gpu(a).id, .to = gpu(b).id, .path = pci_class(a, b)});
        inferred = true;
      }
    }
    if (inferred) {
      parts_.notes.emplace_back(
          "this source says PCIE only; PHB is taken within a NUMA node and SYS between two, or beyond two hops");
    }
  }

  void xgmi(int a, int b) {
    const auto gcn = gpu(a).attributes.find("gcn");
    const auto rate = rates::xgmi(gcn == gpu(a).attributes.end() ? std::string_view{} : gcn->second);
    parts_.add(Link{.kind = LinkKind::xgmi,
                    .from = gpu(a).id,
                    .to = gpu(b).id,
                    .bandwidth = Quantity::assumed(rate.reached),
                    .rated = Quantity::assumed(rate.rated),
                    .latency = Quantity::assumed(rates::latency(LinkKind::xgmi))});
  }

  PathClass pci_class(int a, int b) {
    const int here = gpu(a).numa_node;
    const int there = gpu(b).numa_node;
    if (here >= 0 && there >= 0) return here == there ? PathClass::phb : PathClass::sys;
    const auto hops = hops_.find({a, b});
    return hops != hops_.end() && hops->second.size() == 1 && hops->second <= "2" ? PathClass::phb : PathClass::sys;
  }

  void add_nodes() {
    std::map<int, int> nodes;
    for (const Device& device : parts_.devices) {
      if (device.numa_node >= 0) ++nodes[device.numa_node];
    }
    for (const auto& [node, gpus] : nodes) {
      parts_.add(Device{.kind = DeviceKind::cpu, .name = fmt::format("numa{}", node), .numa_node = node});
    }
  }

  const std::vector<PastedLine> lines_;
  const std::string& name_;
  TopologyParts parts_;
  Table types_;
  Table hops_;
};

bool is_rocm_smi(std::string_view text) {
  text = text.substr(0, smi::max_bytes);
  for (const std::string_view sign : {"ROCm System Management Interface", "(Topology) Numa", " between two GPUs"}) {
    if (text.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

const Reader rocm_smi_reader{
    .kind = "rocm-smi",
    .what = "`rocm-smi --showtopo`",
    .recognises = is_rocm_smi,
    .read = [](std::string_view text, const std::string& name) { return RocmReading(text, name).read(); }};

}  // namespace tutti
