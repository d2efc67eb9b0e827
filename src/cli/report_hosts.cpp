/// @file  Machine: hosts in words and pictures, those that are alike once, and which GPU reaches what how.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/report_canvas.hpp"
#include "cli/report_gpu_links.hpp"
#include "cli/report_machine.hpp"
#include "cli/report_section.hpp"
#include "cli/report_text.hpp"
#include "topology/describe.hpp"
#include "tutti/topology/facts.hpp"

namespace tutti::report {

namespace {

/// Hosts of one shape have the same one: everything but names and numbers that identify.
std::string shape(const Topology& topology, int host) {
  std::map<int, std::size_t> place;
  for (const int id : topology.devices_of(host)) {
    const DeviceKind kind = topology.device(id).kind;
    if (kind != DeviceKind::nv_switch && kind != DeviceKind::network_switch) place.emplace(id, place.size());
  }
  std::string words = host_words(topology.hosts()[static_cast<std::size_t>(host)]);
  for (const auto& [id, at] : place) {
    const Device& device = topology.device(id);
    const auto parent = place.find(topology.parent(id));
    words += fmt::format("|{} {} {} {}", name(device.kind), device.model, device.numa_node,
                         parent == place.end() ? -1 : static_cast<int>(parent->second));
    std::multiset<std::string> links;
    for (const int index : topology.links_of(id)) {
      const Link& link = topology.links()[static_cast<std::size_t>(index)];
      const auto other = place.find(link.from == id ? link.to : link.from);
      links.insert(fmt::format(" {} {} {} {}", name(link.kind), link.count, link.bandwidth.value,
                               other == place.end() ? -1 : static_cast<int>(other->second)));
    }
    for (const std::string& link : links) words += link;
  }
  return words;
}

struct Kind {
  int first = 0;  ///< host
  std::vector<int> hosts{};
};

std::vector<Kind> kinds_of_hosts(const Topology& topology) {
  std::map<std::string, std::size_t> known;
  std::vector<Kind> kinds;
  for (int host = 0; host < static_cast<int>(topology.hosts().size()); ++host) {
    const auto [at, fresh] = known.emplace(shape(topology, host), kinds.size());
    if (fresh) kinds.push_back({host, {}});
    kinds[at->second].hosts.push_back(host);
  }
  return kinds;
}

std::string host_name(const Topology& topology, int host) {
  const std::string& name = topology.hosts()[static_cast<std::size_t>(host)].host;
  if (!name.empty()) return name;
  if (topology.hosts().size() > 1 || topology.name().empty()) return fmt::format("host {}", host);
  return topology.name().substr(topology.name().rfind('/') + 1);  // npos + 1 is 0
}

/// The end of a long name tells hosts apart.
std::string end_of(const std::string& name, std::size_t most) {
  return name.size() <= most ? name : "…" + name.substr(name.size() - most + 1);
}

/// Small tiles, one a host with a square for each GPU, above the switches that join GPUs of all.
std::string hosts_picture(const Topology& topology, const std::string& id) {
  constexpr std::size_t most = 96;
  constexpr double tile = 112;
  constexpr double gap = 8;
  const std::size_t hosts = topology.hosts().size();
  const std::size_t drawn = std::min(hosts, most);
  const std::size_t columns = std::min<std::size_t>(drawn, 9);
  std::size_t most_gpus = 1;
  std::vector<std::size_t> gpus(drawn);
  for (const int id : topology.all(DeviceKind::gpu)) {
    const auto host = static_cast<std::size_t>(topology.device(id).host);
    if (host < drawn) most_gpus = std::max(most_gpus, ++gpus[host]);
  }
  constexpr std::size_t in_a_row = 8;
  const double rows_of_gpus = rows_of(std::min<std::size_t>(most_gpus, 32), in_a_row);
  const double height = 26 + 13 * rows_of_gpus;
  Canvas canvas;
  for (std::size_t i = 0; i < drawn; ++i) {
    const double x = 4 + static_cast<double>(i % columns) * (tile + gap);
    const double y = 4 + row_of(i, columns) * (height + gap);
    canvas.box({x, y, tile, height}, "cpu");
    canvas.text(x + 6, y + 14, end_of(host_name(topology, static_cast<int>(i)), 17), "", Anchor::start, 17);
    for (std::size_t g = 0; g < std::min<std::size_t>(gpus[i], 32); ++g) {
      canvas.box({x + 6 + 12.6 * static_cast<double>(g % in_a_row), y + 21 + 13 * row_of(g, in_a_row), 11, 11}, "gpu",
                 2);
    }
  }
  const double width = 8 + static_cast<double>(columns) * (tile + gap) - gap;
  double bottom = 4 + rows_of(drawn, columns) * (height + gap);
  const GpuLinks links = gpu_links(topology, 0);
  const std::string words = links.switches_elsewhere || links.switched.empty() || hosts < 2 ? "" : in_words(links);
  const GpuLinks last = gpu_links(topology, static_cast<int>(hosts) - 1);
  if (last.switches_elsewhere && !words.empty()) {
    const double wide = std::max(width - 8, 24 + 6.6 * static_cast<double>(words.size()));
    canvas.box({4, bottom + 4, wide, 26}, "fabric");
    canvas.text(4 + wide / 2, bottom + 21, "one domain: " + words, "strong", Anchor::middle,
                static_cast<std::size_t>(wide / 6.2));
    bottom += 34;
    return canvas.svg(std::max(width, wide + 8), bottom, 700, id, "Hosts of " + topology.name(),
                      fmt::format("{} hosts in one domain. {}", hosts, words));
  }
  if (hosts > drawn) {
    canvas.text(6, bottom + 12, fmt::format("and {} more hosts", hosts - drawn), "soft");
    bottom += 18;
  }
  return canvas.svg(width, bottom, std::min(width, 700.0), id, "Hosts of " + topology.name(),
                    fmt::format("{} hosts.", hosts));
}

std::string gpu_table(const Topology& topology, int host) {
  std::vector<int> gpus;
  for (const int id : topology.all(DeviceKind::gpu)) {
    if (topology.device(id).host == host) gpus.push_back(id);
  }
  constexpr std::size_t most = 32;
  if (gpus.empty()) return {};
  const bool models = std::any_of(gpus.begin(), gpus.end(), [&](int id) { return !topology.device(id).model.empty(); });
  std::vector<std::string> head{"GPU", "bus id", "NUMA node", "nearest adapters"};
  if (models) head.insert(head.begin() + 1, "model");
  std::string html = table_head("GPUs, and which adapters are nearest to each", head);
  for (std::size_t i = 0; i < std::min(gpus.size(), most); ++i) {
    const Device& gpu = topology.device(gpus[i]);
    const NearestNics nearest = nearest_nics(topology, gpus[i]);
    std::string nics;
    for (const int nic : nearest.nics) nics += (nics.empty() ? "" : ", ") + topology.device(nic).name;
    if (!nics.empty()) {
      const std::string carries = describe_bandwidth(nearest.bandwidth);
      nics += fmt::format(" ({}{})", name(nearest.path), carries.empty() ? "" : ", " + carries);
    }
    std::vector<std::string> cells{gpu.name, gpu.pci, gpu.numa_node < 0 ? "–" : fmt::format("{}", gpu.numa_node),
                                   nics.empty() ? "–" : nics};
    if (models) cells.insert(cells.begin() + 1, gpu.model);
    html += table_row(cells);
  }
  html += table_end;
  if (gpus.size() > most) html += fmt::format("<p class=\"soft\">And {} more GPUs.</p>\n", gpus.size() - most);
  constexpr std::size_t most_columns = 16;
  if (gpus.size() < 2 || gpus.size() > most_columns) return html;
  std::vector<std::string> columns{""};
  for (const int gpu : gpus) columns.push_back(topology.device(gpu).name);
  html += table_head(
      "How two GPUs reach one another: NV# is # NVLinks; PIX, PXB, PHB, NODE, SYS go over PCI, near to far", columns);
  for (const int from : gpus) {
    std::vector<std::string> cells{topology.device(from).name};
    for (const int to : gpus) cells.push_back(find_path(topology, from, to).label());
    html += table_row(cells);
  }
  return html + std::string(table_end);
}

std::string oddities(const Topology& topology) {
  std::vector<std::string> odd;
  for (const DegradedLink& each : degraded_links(topology)) odd.push_back(each.what);
  odd.insert(odd.end(), topology.notes().begin(), topology.notes().end());
  if (odd.empty()) return {};
  constexpr std::size_t most = 60;
  std::string html = "<h3>Oddities</h3>\n<ul class=\"odd\">";
  for (std::size_t i = 0; i < std::min(odd.size(), most); ++i) html += "<li>" + escaped(odd[i]) + "</li>";
  if (odd.size() > most) html += fmt::format("<li>and {} more</li>", odd.size() - most);
  return html + "</ul>\n";
}

std::string possible(const Topology& topology) {
  if (topology.all(DeviceKind::gpu).size() < 2) return {};
  std::string html;
  for (const auto collective : {Collective::all_reduce, Collective::all_to_all}) {
    const PossibleBandwidth bound = possible_bandwidth(topology, collective);
    if (!bound.bus_bandwidth.known()) continue;
    html += fmt::format("<li>{}: {} ({})</li>", name(collective), describe_bandwidth(bound.bus_bandwidth),
                        escaped(bound.why));
  }
  return html.empty() ? "" : "<p>Bus bandwidth that the links allow over all GPUs:</p><ul>" + html + "</ul>\n";
}

}  // namespace

Section machine_section(const Topology& topology, const std::string& prefix) {
  Section section{.id = "machine", .title = "Machine", .gist = {}, .html = {}};
  const std::size_t hosts = topology.hosts().size();
  const std::size_t gpus = topology.all(DeviceKind::gpu).size();
  section.gist =
      fmt::format("{}{} GPU{}", hosts == 1 ? "" : fmt::format("{} hosts, ", hosts), gpus, gpus == 1 ? "" : "s");
  if (hosts == 1 && gpus == 0) section.gist = "no GPU";
  if (topology.empty()) {
    section.html = "<p>No devices are known of this machine.</p>\n" + oddities(topology);
    return section;
  }
  if (hosts > 1) section.html += "<figure>" + hosts_picture(topology, prefix + "hosts") + "</figure>\n";
  const std::vector<Kind> kinds = kinds_of_hosts(topology);
  constexpr std::size_t most_kinds = 4;
  for (std::size_t i = 0; i < std::min(kinds.size(), most_kinds); ++i) {
    const int host = kinds[i].first;
    const std::size_t more = kinds[i].hosts.size() - 1;
    section.html += fmt::format("<h3>{}{}</h3>\n", escaped(host_name(topology, host)),
                                more == 0 ? "" : fmt::format(" and {} more of this kind", more));
    std::string words = host_words(topology.hosts()[static_cast<std::size_t>(host)]);
    for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::nic}) {
      const std::string devices = devices_in_words(topology, host, kind);
      if (!devices.empty()) words += (words.empty() ? "" : "; ") + devices;
    }
    if (!words.empty()) section.html += "<p>" + escaped(words) + ".</p>\n";
    section.html += "<figure>" + host_picture(topology, host, fmt::format("{}host-{}", prefix, host)) + "</figure>\n";
    section.html += gpu_table(topology, host);
  }
  if (kinds.size() > most_kinds) {
    section.html += fmt::format("<p>And hosts of {} more kinds, which are not drawn.</p>\n", kinds.size() - most_kinds);
  }
  section.html += possible(topology) + oddities(topology);
  if (section.html.find('~') != std::string::npos) {
    section.html += "<p class=\"soft\">~ is assumed from tables of known hardware, not read.</p>\n";
  }
  return section;
}

}  // namespace tutti::report
