#include "cli/report_gpu_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "topology/describe.hpp"

namespace tutti::report {

namespace {

Quantity sum(const Quantity& a, const Quantity& b) { return {a.value + b.value, std::min(a.origin, b.origin)}; }

std::string amount(const std::string& name, int count, const Quantity& bandwidth) {
  std::string words = name;
  if (count > 1) words = fmt::format("{} {}s", count, name == "XGMI" ? "XGMI link" : name);
  const std::string carries = describe_bandwidth(bandwidth);
  return carries.empty() ? words : fmt::format("{}, {} each way", words, carries);
}

/// Kinds of pairs, the thinnest first: what differs in a drawing.
std::vector<GpuPair> kinds_of(const std::vector<GpuPair>& pairs) {
  std::vector<GpuPair> kinds;
  for (const GpuPair& pair : pairs) {
    const bool known = std::any_of(kinds.begin(), kinds.end(), [&](const GpuPair& kind) { return kind.alike(pair); });
    if (!known) kinds.push_back(pair);
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const GpuPair& a, const GpuPair& b) { return a.bandwidth.value < b.bandwidth.value; });
  return kinds;
}

double draw_bar(Canvas& canvas, const std::string& words, const std::vector<std::pair<int, Box>>& gpus, double top,
                double right, const std::map<int, int>& counts) {
  double left = right;
  double end = 0;
  for (const auto& [gpu, box] : gpus) {
    if (!counts.contains(gpu)) continue;
    left = std::min(left, box.x);
    end = std::max(end, box.x + box.width);
  }
  const double needed = 12 + 6.6 * static_cast<double>(words.size());
  if (end - left < needed) {
    left = std::max(4.0, std::min(left, right - needed));
    end = std::min(right, std::max(end, left + needed));
  }
  const double y = top + 26;
  for (const auto& [gpu, box] : gpus) {
    const auto count = counts.find(gpu);
    if (count == counts.end()) continue;
    const double x = box.x + box.width / 2;
    canvas.line(x, box.y + box.height, x, y, "link thick");
    if (count->second > 0) canvas.text(x + 6, top + 18, fmt::format("×{}", count->second), "soft");
  }
  canvas.box({left, y, end - left, 26}, "fabric");
  canvas.text((left + end) / 2, y + 17, words, "strong", Anchor::middle,
              static_cast<std::size_t>((end - left - 8) / 6.2));
  return y + 26;
}

/// Arcs below the row, the wider the deeper; ends of one GPU's arcs stand side by side.
double draw_arcs(Canvas& canvas, const GpuLinks& links, const std::vector<std::pair<int, Box>>& gpus, double top) {
  std::map<int, std::size_t> place;
  for (std::size_t i = 0; i < gpus.size(); ++i) place[gpus[i].first] = i;
  std::vector<std::vector<std::size_t>> partners(gpus.size());
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  for (const GpuPair& pair : links.pairs) {
    const auto a = place.find(pair.a);
    const auto b = place.find(pair.b);
    if (a == place.end() || b == place.end()) {
      ends.emplace_back(0, 0);
      continue;
    }
    ends.emplace_back(std::min(a->second, b->second), std::max(a->second, b->second));
    partners[a->second].push_back(b->second);
    partners[b->second].push_back(a->second);
  }
  // To the left of a GPU's edge those to its left, the farthest innermost, so that few cross.
  for (std::size_t i = 0; i < partners.size(); ++i) {
    std::sort(partners[i].begin(), partners[i].end(), [&](std::size_t a, std::size_t b) {
      if ((a < i) != (b < i)) return a < i;
      return a < i ? a > b : a > b;
    });
  }
  const auto x_of = [&](std::size_t gpu, std::size_t other) {
    const auto& list = partners[gpu];
    const auto at = static_cast<double>(std::find(list.begin(), list.end(), other) - list.begin());
    const Box& box = gpus[gpu].second;
    return box.x + box.width * (at + 1) / static_cast<double>(list.size() + 1);
  };
  const std::vector<GpuPair> kinds = kinds_of(links.pairs);
  double deepest = top;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto [from, to] = ends[i];
    if (from == to) continue;
    const double x1 = x_of(from, to);
    const double x2 = x_of(to, from);
    const double y = gpus[from].second.y + gpus[from].second.height;
    const double depth = top - y + 14 + 15 * static_cast<double>(to - from);
    deepest = std::max(deepest, y + depth * 0.75);
    std::size_t kind = 0;
    while (!kinds[kind].alike(links.pairs[i])) ++kind;
    canvas.path(fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x1, y, x1, y + depth, x2,
                            y + depth, x2, y),
                fmt::format("link kind{}", std::min<std::size_t>(kind, 2)));
  }
  double y = deepest + 22;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    canvas.line(12, y - 4, 46, y - 4, fmt::format("link kind{}", std::min<std::size_t>(kind, 2)));
    canvas.text(54, y, amount(links.name, kinds[kind].count, kinds[kind].bandwidth));
    y += 18;
  }
  return y - 8;
}

}  // namespace

GpuLinks gpu_links(const Topology& topology, int host) {
  GpuLinks found;
  std::map<int, SwitchedGpu> switched;
  std::map<std::pair<int, int>, GpuPair> pairs;
  std::set<int> switches;
  for (const Link& link : topology.links()) {
    if (link.kind != LinkKind::nvlink && link.kind != LinkKind::xgmi) continue;
    const Device& from = topology.device(link.from);
    const Device& to = topology.device(link.to);
    if (from.kind == DeviceKind::gpu && to.kind == DeviceKind::gpu) {
      if (from.host != host || to.host != host) continue;
      const auto key = std::minmax(from.id, to.id);
      GpuPair pair{.a = key.first, .b = key.second, .count = link.count, .bandwidth = link.bandwidth};
      const auto [at, fresh] = pairs.emplace(key, pair);
      // Two links of one direction each are told as one of both.
      if (!fresh && !link.one_way) {
        at->second.count += link.count;
        at->second.bandwidth = sum(at->second.bandwidth, link.bandwidth);
      }
    } else {
      const Device& gpu = from.kind == DeviceKind::gpu ? from : to;
      const Device& other = from.kind == DeviceKind::gpu ? to : from;
      if (gpu.kind != DeviceKind::gpu || other.kind != DeviceKind::nv_switch || gpu.host != host) continue;
      const auto at = switched.emplace(gpu.id, SwitchedGpu{gpu.id, 0, Quantity::read(0)}).first;
      at->second.count += link.count;
      at->second.bandwidth = sum(at->second.bandwidth, link.bandwidth);
      switches.insert(other.id);
      found.switches_elsewhere = found.switches_elsewhere || other.host != host;
    }
    if (link.kind == LinkKind::xgmi) found.name = "XGMI";
  }
  found.switches = switches.size();
  for (const auto& [gpu, all] : switched) found.switched.push_back(all);
  std::set<int> joined;
  found.all_pairs_alike = true;
  for (const auto& [key, pair] : pairs) {
    found.pairs.push_back(pair);
    joined.insert({pair.a, pair.b});
    found.all_pairs_alike = found.all_pairs_alike && pair.alike(found.pairs.front());
  }
  found.all_pairs_alike =
      found.all_pairs_alike && joined.size() > 2 && found.pairs.size() == joined.size() * (joined.size() - 1) / 2;
  return found;
}

std::string in_words(const GpuLinks& links) {
  if (!links.switched.empty()) {
    const SwitchedGpu& first = links.switched.front();
    const bool alike = std::all_of(links.switched.begin(), links.switched.end(), [&](const SwitchedGpu& gpu) {
      return gpu.count == first.count && std::abs(gpu.bandwidth.value - first.bandwidth.value) < 1e-6;
    });
    std::string words = fmt::format("{} through {} NVSwitch{}{}", links.name, links.switches,
                                    links.switches == 1 ? "" : "es", links.switches_elsewhere ? " of the domain" : "");
    const std::string carries = describe_bandwidth(first.bandwidth);
    if (!alike) return words + ": GPUs have different numbers of links";
    return words + fmt::format(": each GPU {} link{}{}", first.count, first.count == 1 ? "" : "s",
                               carries.empty() ? "" : ", " + carries + " each way");
  }
  if (links.pairs.empty()) return {};
  const std::string first = amount(links.name, links.pairs.front().count, links.pairs.front().bandwidth);
  if (links.all_pairs_alike) return "every two GPUs: " + first;
  const bool several = kinds_of(links.pairs).size() > 1;
  return fmt::format("{} between {} pair{} of GPUs{}", links.name, links.pairs.size(),
                     links.pairs.size() == 1 ? "" : "s", several ? "" : ": " + first);
}

double draw_gpu_links(Canvas& canvas, const GpuLinks& links, const std::vector<std::pair<int, Box>>& gpus, double top,
                      double right) {
  double bottom = top;
  if (!links.switched.empty()) {
    std::map<int, int> counts;
    for (const SwitchedGpu& gpu : links.switched) counts[gpu.gpu] = gpu.count;
    bottom = draw_bar(canvas, in_words(links), gpus, top, right, counts);
  }
  if (links.pairs.empty()) return bottom;
  if (!links.all_pairs_alike) return draw_arcs(canvas, links, gpus, bottom);
  std::map<int, int> counts;
  for (const GpuPair& pair : links.pairs) counts[pair.a] = counts[pair.b] = 0;
  return draw_bar(canvas, in_words(links), gpus, bottom, right, counts);
}

}  // namespace tutti::report
