#include "price_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "tutti/base/error.hpp"

namespace tutti::bench {

namespace {

using choose::GpuKind;
using choose::InnerLink;
using choose::Pattern;
using choose::Platform;
using choose::Transport;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The number that the first group of a pattern finds, or the default.
int number(const std::string& text, const char* pattern, int otherwise) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(pattern))) return otherwise;
  return std::stoi(match[1]);
}

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

const std::pair<std::string_view, Collective> collectives[] = {
    {"allreduce", Collective::all_reduce},         {"allgather", Collective::all_gather},
    {"reducescatter", Collective::reduce_scatter}, {"alltoall", Collective::all_to_all},
    {"broadcast", Collective::broadcast},          {"reduce", Collective::reduce},
};

/// GB/s one direction of all links inside, by data sheet.
double nvlink_gbs(GpuKind kind) {
  switch (kind) {
    case GpuKind::volta:
      return 150;  // 6 links of 25
    case GpuKind::ampere:
      return 300;  // 12
    case GpuKind::hopper:
      return 450;  // 18
    case GpuKind::blackwell:
      return 900;  // 18 of 50
    case GpuKind::cdna3:
      return 448;  // 7 links of 64
    default:
      return 0;
  }
}

void describe_inside(const std::string& words, Platform& at) {
  at.inner_gbs = nvlink_gbs(at.gpu);
  at.multicast = at.gpu == GpuKind::hopper || at.gpu == GpuKind::blackwell;
  if (at.inner_gbs > 0) return;
  const bool none = has(words, "no p2p") || has(words, "p2p off") || has(words, "shm");
  at.inner = has(words, "p2p") && !none ? InnerLink::pcie_peer : InnerLink::pcie_host;
  const int generation = number(words, "pcie ?([345])", 0);
  constexpr double third = 15.75;  // x16: 8 GT/s, 128 of 130 bits
  at.inner_gbs = generation == 3 ? third : generation == 5 ? 4 * third : 2 * third;
  if (has(words, "same switch") || has(words, "pix")) at.uplink_sharers = 2;
  // Boards whose slots the description does not name, cards without peer access: four lanes of the fourth generation,
  // as in hosts rented out by the hour.
  if (generation == 0 && at.inner == InnerLink::pcie_host && at.gpu == GpuKind::ada) {
    at.inner_gbs = third / 2;
    at.uplink_sharers = 2;
  }
}

void describe_between(const std::string& words, Platform& at) {
  if (has(words, "_efa") || has(words, " efa")) {
    at.transport = Transport::efa;
    at.rail_gbs = number(words, "efa ?(\\d+)", 3200) / 8.0 / at.rails;
  } else if (has(words, "tcpx") || has(words, "a3mega") || has(words, "a3-mega")) {
    at.transport = Transport::fastrak;
    at.rail_gbs = 25;
  } else if (has(words, "a3ultra") || has(words, "a3-ultra")) {
    at.transport = Transport::roce_cloud;
  } else if (has(words, "roce")) {
    at.transport = Transport::roce;
    at.rails = number(words, "(\\d+)x ?\\d+g", at.rails);
    at.rail_gbs = number(words, "\\d+x ?(\\d+)g", 400) / 8.0;
  } else if (has(words, "hdr")) {
    at.rails = number(words, "(\\d+)x[^|]*hdr", number(words, "hdr(\\d)", at.rails));
    at.rail_gbs = 25;
  } else if (has(words, "ndr") || has(words, "400g")) {
    at.rails = number(words, "(\\d+)x[^|]*ndr", number(words, "ndr(\\d)", at.rails));
  }
}

double target_of(const Platform& at) {
  const bool common = at.gpu == GpuKind::ampere || at.gpu == GpuKind::hopper;
  if (at.inner != InnerLink::nvlink) return 15;
  if (at.nodes == 1) return common ? 10 : 0;
  if (at.gpu != GpuKind::hopper || at.nodes > 8) return 0;
  return at.nodes == 2 ? 8 : 12;
}

}  // namespace

std::string describe_table(const std::string& name, const std::string& about, PriceTable& table) {
  table.name = name;
  table.described = about;
  const std::string words = lower(name + " | " + about);
  const auto collective = std::find_if(std::begin(collectives), std::end(collectives),
                                       [&](const auto& c) { return words.rfind(c.first, 0) == 0; });
  if (collective == std::end(collectives)) return "its name begins with no collective";
  table.collective = collective->second;
  Platform& at = table.platform;
  at.name = name;
  auto kind = choose::gpu_kind_named(name);
  if (!kind) kind = choose::gpu_kind_named(about);
  if (!kind) return "neither its name nor the README has a GPU that is known";
  at.gpu = *kind;
  const int ranks = number(words, "_(\\d+)r(_|\\b)", 0);
  if (ranks < 1) return "its name has no number of ranks, as in _16r_";
  const int domain = at.gpu == GpuKind::blackwell && has(words, "gb200") ? 72 : 8;
  at.nodes = number(words, "\\d+ ?= ?(\\d+)x\\d+", std::max(1, ranks / domain));
  if (domain == 72) at.nodes = std::max(1, ranks / domain);  // a rack is one NVLink domain
  if (at.nodes < 1 || ranks % at.nodes != 0) return "its nodes do not divide its ranks";
  at.gpus = at.rails = ranks / at.nodes;
  describe_inside(words, at);
  if (at.nodes > 1) describe_between(words, at);
  at.queue_pairs = number(words, "qps[a-z_]*=?(\\d)", 1);
  const bool one_process = at.inner != InnerLink::nvlink && at.nodes == 1 && at.gpus <= 4 && !has(words, "mpirun");
  at.gpus_per_process = number(words, "-g (\\d)", one_process ? at.gpus : 1);

  table.wanted.patterns = {Pattern::ring, Pattern::tree, Pattern::multicast, Pattern::multicast_tree, Pattern::pat};
  if (std::regex_search(words, std::regex("algo=ring|_ring(_|\\b)"))) table.wanted.patterns = {Pattern::ring};
  if (std::regex_search(words, std::regex("algo=tree|_tree(_|\\b)"))) table.wanted.patterns = {Pattern::tree};
  if (has(words, "nvls_enable=0") || has(words, "nonvls")) at.multicast = false;
  table.target = target_of(at);
  return {};
}

std::vector<PriceTable> read_price_tables(const std::string& folder, std::vector<std::string>& left_out) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(folder)) {
    throw Error(Code::invalid_argument, folder + " is no folder", {.remedy = "name one with tables as .csv files"});
  }
  std::map<std::string, std::string> about;
  std::ifstream readme(fs::path(folder) / "README.md");
  for (std::string line; std::getline(readme, line);) {
    const auto cells = split(line, '|');
    if (cells.size() < 3) continue;
    std::string key = cells[1];
    std::erase(key, ' ');
    // Not the last cell: sources name other machines.
    const std::size_t last = line.find_last_of('|', line.find_last_of('|') - 1);
    about[key] = line.substr(0, last);
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<PriceTable> tables;
  for (const auto& file : files) {
    PriceTable table;
    const std::string stem = file.stem().string();
    const std::string reason = describe_table(stem, about[stem], table);
    if (!reason.empty()) {
      left_out.push_back(fmt::format("{}: {}", stem, reason));
      continue;
    }
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);  // the head
    for (int at = 2; std::getline(in, line); ++at) {
      const auto cells = split(line, ',');
      const auto value = [&](std::size_t cell) {
        double result = 0;
        const char* begin = cell < cells.size() ? cells[cell].data() : nullptr;
        const char* end = begin != nullptr ? begin + cells[cell].size() : nullptr;
        if (begin == nullptr || std::from_chars(begin, end, result).ec != std::errc{} || !(result > 0)) {
          throw Error(Code::invalid_argument,
                      fmt::format("{}:{}: column {} is no positive number", file.string(), at, cell + 1),
                      {.remedy = "columns are size_bytes,count,type,redop,time_us,…,placement"});
        }
        return result;
      };
      if (line.empty() || cells.back().rfind("in-place", 0) != 0) continue;
      table.rows.push_back({value(0), value(4)});
    }
    if (table.rows.empty()) {
      left_out.push_back(stem + ": no rows in place");
    } else {
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace tutti::bench
