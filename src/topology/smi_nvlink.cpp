/// @file  `nvidia-smi nvlink -s`: how many NVLinks each GPU has, which work, and at what speed.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "topology/reader.hpp"
#include "topology/smi.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr int max_link = 255;

struct Links {
  std::set<int> seen{};
  int working = 0;
  int down = 0;
  double rate = 0;  ///< GB/s of one; of the slowest where they differ
  bool differ = false;
  bool elided = false;
  std::size_t line = 0;
};

/// "Link 3: 25 GB/s" and "Link 3: <inactive>"; a rate of 0 is a link that is down.
struct LinkLine {
  int number = 0;
  double rate = 0;
};

std::optional<LinkLine> link_line(std::string_view line, const std::string& name, std::size_t number) {
  const auto at = line.find("Link ");
  if (at == std::string_view::npos || (at > 0 && !ends_prefix(line[at - 1]))) return {};
  line.remove_prefix(at + 5);
  LinkLine link{.number = take_number(line)};
  if (link.number < 0 || !take(line, ":")) return {};
  const auto said = trim(line);
  if (link.number > max_link) smi::refuse(name, number, fmt::format("Link {}: no GPU has so many", link.number));
  if (said.starts_with('<') || said.starts_with("inactive") || said.starts_with("Inactive")) return link;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), link.rate);
  const auto unit = trim(said.substr(static_cast<std::size_t>(end - said.data())));
  if (error != std::errc{} || !unit.starts_with("GB/s") || !(link.rate >= 0 && link.rate <= 1000)) {
    smi::refuse(
        name, number,
        fmt::format("expected GB/s or <inactive> after \"Link {}:\", found \"{}\"", link.number, shown(said, 40)));
  }
  return link;
}

/// "GPU 3: …"; −1 for any other line.
int gpu_of_line(std::string_view line) {
  const auto at = line.find("GPU ");
  if (at == std::string_view::npos || (at > 0 && !ends_prefix(line[at - 1]))) return -1;
  line.remove_prefix(at + 4);
  const int index = take_number(line);
  return index >= 0 && index < 1024 && line.starts_with(':') ? index : -1;
}

std::map<int, Links> links_in(const std::vector<PastedLine>& lines, const std::string& name) {
  std::map<int, Links> gpus;
  int gpu = -1;
  for (const PastedLine& line : lines) {
    if (const int next = gpu_of_line(line.text); next >= 0) {
      gpu = next;
      gpus[gpu].line = line.number;
    } else if (gpu >= 0 && trim(line.text).starts_with("[...]")) {
      gpus[gpu].elided = true;
    } else if (const auto link = gpu >= 0 ? link_line(line.text, name, line.number) : std::nullopt) {
      Links& links = gpus[gpu];
      if (!links.seen.insert(link->number).second) continue;  // the same command twice
      if (link->rate == 0) {
        ++links.down;
        continue;
      }
      links.differ |= links.working > 0 && links.rate != link->rate;
      links.rate = links.working++ > 0 ? std::min(links.rate, link->rate) : link->rate;
    }
  }
  std::erase_if(gpus, [](const auto& gpu_and_links) { return gpu_and_links.second.seen.empty(); });
  return gpus;
}

/// Whoever writes "[...]" leaves out links like those that he shows.
void fill_in(Links& links) {
  if (!links.elided || links.working == 0) return;
  links.working = *links.seen.rbegin() + 1 - links.down;
}

Topology read_smi_nvlink(std::string_view text, const std::string& name) {
  const auto lines = smi::lines_of(text, name);
  TopologyParts parts{.name = name, .source = std::string(smi_nvlink_reader.kind), .hosts = {HostFacts{}}};
  if (!smi::add_nvlink_status(parts, lines, name)) {
    smi::refuse(name, 1, "expected \"Link 0: 25 GB/s\" below \"GPU 0:\", found none");
  }
  smi::add_models(parts, lines);
  parts.notes.emplace_back("this source does not say where the NVLinks lead; `nvidia-smi topo -m` does");
  return Topology(std::move(parts));
}

}  // namespace

namespace smi {

bool add_nvlink_status(TopologyParts& parts, const std::vector<PastedLine>& lines, const std::string& name) {
  auto gpus = links_in(lines, name);
  for (auto& [index, links] : gpus) {
    fill_in(links);
    Device& gpu = parts.devices[static_cast<std::size_t>(gpu_numbered(parts, index))];
    gpu.attributes.emplace("nvlinks", fmt::format("{}", links.working));
    if (links.down > 0) gpu.attributes.emplace("nvlinks_down", fmt::format("{}", links.down));
    if (links.working > 0) gpu.attributes.emplace("nvlink_GBs", fmt::format("{:g}", links.rate));
    if (links.differ) {
      parts.notes.push_back(fmt::format("line {}: the NVLinks of {} run at different speeds; the slowest at {:g} GB/s",
                                        links.line, gpu.name, links.rate));
    }
    if (links.elided) {
      parts.notes.push_back(fmt::format(
          "line {}: links of {} are left out here (\"[...]\") and taken to be like the others", links.line, gpu.name));
    }
  }
  return !gpus.empty();
}

bool has_nvlink_status(std::string_view text) {
  text = text.substr(0, max_bytes);
  for (auto at = text.find("Link "); at != std::string_view::npos; at = text.find("Link ", at + 1)) {
    auto rest = text.substr(at + 5, 80);
    if (take_number(rest) < 0 || !take(rest, ": ")) continue;
    rest = rest.substr(0, rest.find('\n'));
    if (rest.find("GB/s") != std::string_view::npos || rest.find("nactive") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace smi

const Reader smi_nvlink_reader{.kind = "smi-nvlink",
                               .what = "`nvidia-smi nvlink -s`",
                               .recognises = smi::has_nvlink_status,
                               .read = read_smi_nvlink};

}  // namespace tutti
