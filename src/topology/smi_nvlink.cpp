/// @file  `nvidia-smi nvlink -s`: how many NVLinks each GPU has, which work, and at what speed; -c: what they can; -e: errors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topology/reader.hpp"
#include "topology/smi.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

constexpr int max_link = 255;

struct Links {
  std::set<int> seen{};
  std::set<int> listed{};       ///< of `nvlink -c`
  std::set<int> without_p2p{};  ///< by `nvlink -c`
  std::uint64_t errors = 0;     ///< of `nvlink -e`, all kinds
  bool counted = false;         ///< `nvlink -e` was there
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

/// What stands behind "Link 3", whatever it is.
struct LinkWords {
  int number = -1;
  std::string_view rest{};
};

std::optional<LinkWords> link_words(std::string_view line) {
  const auto at = line.find("Link ");
  if (at == std::string_view::npos || (at > 0 && !ends_prefix(line[at - 1]))) return {};
  line.remove_prefix(at + 5);
  LinkWords words{.number = take_number(line)};
  words.rest = line;
  if (words.number < 0) return {};
  return words;
}

/// "Link 0, P2P is supported: true"
bool is_capability(const LinkWords& words) {
  return words.rest.starts_with(", ") && words.rest.find("supported:") != std::string_view::npos;
}

/// "Link 0: Replay Errors: 0"
bool is_counter(const LinkWords& words) {
  return words.rest.starts_with(": ") && words.rest.find(" Errors:") != std::string_view::npos;
}

std::optional<LinkLine> link_line(const LinkWords& words, const std::string& name, std::size_t number) {
  LinkLine link{.number = words.number};
  auto line = words.rest;
  if (!take(line, ":")) return {};
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

void use_capability(const LinkWords& words, Links& links) {
  if (words.number > max_link) return;
  links.listed.insert(words.number);
  const bool no = trim(words.rest).ends_with("false");
  if (no && words.rest.find("P2P is supported") != std::string_view::npos) links.without_p2p.insert(words.number);
}

/// "Replay Errors: 142, Recovery Errors: 3"
void use_counters(const LinkWords& words, std::size_t line, Links& links, std::vector<std::string>& found) {
  constexpr std::size_t most = 20;  // that are named one by one
  links.counted = true;
  auto rest = words.rest.substr(1);
  while (!rest.empty()) {
    const auto one = trim(rest.substr(0, rest.find(',')));
    rest.remove_prefix(
        std::min(rest.size(), rest.find(',') == std::string_view::npos ? rest.size() : rest.find(',') + 1));
    const auto colon = one.rfind(':');
    if (colon == std::string_view::npos) continue;
    auto number = trim(one.substr(colon + 1));
    const int count = take_number(number);
    if (count <= 0 || links.errors > std::uint64_t{1} << 60) continue;
    links.errors += static_cast<std::uint64_t>(count);
    if (found.size() < most) {
      found.push_back(
          fmt::format("line {}: NVLink {} has had {} {}", line, words.number, count, shown(one.substr(0, colon), 40)));
    }
  }
}

/// "GPU 3: …"; −1 for any other line.
int gpu_of_line(std::string_view line) {
  const auto at = line.find("GPU ");
  if (at == std::string_view::npos || (at > 0 && !ends_prefix(line[at - 1]))) return -1;
  line.remove_prefix(at + 4);
  const int index = take_number(line);
  return index >= 0 && index < 1024 && line.starts_with(':') ? index : -1;
}

struct Found {
  std::map<int, Links> gpus{};
  std::vector<std::string> errors{};
};

Found links_in(const std::vector<PastedLine>& lines, const std::string& name) {
  Found found;
  auto& gpus = found.gpus;
  int gpu = -1;
  for (const PastedLine& line : lines) {
    if (const int next = gpu_of_line(line.text); next >= 0) {
      gpu = next;
      gpus[gpu].line = line.number;
      continue;
    }
    if (gpu >= 0 && trim(line.text).starts_with("[...]")) {
      gpus[gpu].elided = true;
      continue;
    }
    const auto words = link_words(line.text);
    if (!words) continue;
    if (is_capability(*words) || is_counter(*words)) {
      if (gpu < 0) continue;  // whose?
      if (is_capability(*words)) {
        use_capability(*words, gpus[gpu]);
      } else {
        use_counters(*words, line.number, gpus[gpu], found.errors);
      }
    } else if (const auto link = gpu >= 0 ? link_line(*words, name, line.number) : std::nullopt) {
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
  std::erase_if(gpus, [](const auto& one) {
    return one.second.seen.empty() && one.second.listed.empty() && !one.second.counted;
  });
  return found;
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
    smi::refuse(name, 1, "expected \"Link 0: 25 GB/s\" below \"GPU 0:\", found no line that names the GPU");
  }
  smi::add_models(parts, lines);
  parts.notes.emplace_back("this source does not say where the NVLinks lead; `nvidia-smi topo -m` does");
  return Topology(std::move(parts));
}

}  // namespace

namespace smi {

bool add_nvlink_status(TopologyParts& parts, const std::vector<PastedLine>& lines, const std::string& name) {
  auto found = links_in(lines, name);
  bool rates = false;
  for (auto& [index, links] : found.gpus) {
    fill_in(links);
    Device& gpu = parts.devices[static_cast<std::size_t>(gpu_numbered(parts, index))];
    if (links.counted) gpu.attributes.emplace("nvlink_errors", fmt::format("{}", links.errors));
    if (!links.listed.empty()) gpu.attributes.emplace("nvlinks_listed", fmt::format("{}", links.listed.size()));
    if (!links.without_p2p.empty()) {
      parts.notes.push_back(fmt::format("NVLinks {} of {} do not support copies between GPUs (P2P)",
                                        fmt::join(links.without_p2p, " "), gpu.name));
    }
    if (links.seen.empty()) continue;
    rates = true;
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
  if (!found.gpus.empty() && !rates) {
    parts.notes.emplace_back(
        "`nvidia-smi nvlink -c` and `-e` do not say which NVLinks work, nor how fast; `nvlink -s` does");
  }
  parts.notes.insert(parts.notes.end(), found.errors.begin(), found.errors.end());
  return !found.gpus.empty();
}

bool has_nvlink_status(std::string_view text) {
  text = text.substr(0, max_bytes);
  for (auto at = text.find("Link "); at != std::string_view::npos; at = text.find("Link ", at + 1)) {
    const auto words = link_words(text.substr(at, 100).substr(0, text.substr(at, 100).find('\n')));
    if (!words) continue;
    if (is_capability(*words) || is_counter(*words)) return true;
    auto rest = words->rest;
    if (!take(rest, ": ")) continue;
    if (rest.find("GB/s") != std::string_view::npos || rest.find("nactive") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace smi

const Reader smi_nvlink_reader{.kind = "smi-nvlink",
                               .what = "`nvidia-smi nvlink -s` (or -c, -e)",
                               .recognises = smi::has_nvlink_status,
                               .read = read_smi_nvlink};

}  // namespace tutti
