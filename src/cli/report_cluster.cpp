/// @file  Cluster: tiers of switches over groups of nodes, and one node of each kind.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/report_canvas.hpp"
#include "cli/report_section.hpp"
#include "cli/report_text.hpp"
#include "topology/describe.hpp"

namespace tutti::report {

namespace {

constexpr double wide = 980;
constexpr double row_height = 44;
constexpr double row_gap = 22;

std::string latency_words(const Quantity& latency) {
  if (!latency.known()) return {};
  return fmt::format(", {}{:g} µs", latency.is_assumed() ? "~" : "", latency.value);
}

/// A row of boxes, one a group, of which those that do not fit are told by number. `up` and
/// `down` draw what joins them to the rows above and below.
void draw_row(Canvas& canvas, double y, std::int64_t groups, const std::string& label, const std::string& look, bool up,
              bool down, const std::function<std::string(std::int64_t)>& words) {
  canvas.text(8, y + 18, label, "strong", Anchor::start, 24);
  constexpr std::int64_t most = 6;
  const std::int64_t drawn = std::min(groups, most);
  const double left = 170;
  const double right = groups > drawn ? wide - 110 : wide - 4;
  const double each = (right - left) / static_cast<double>(drawn);
  for (std::int64_t i = 0; i < drawn; ++i) {
    const Box at{left + each * static_cast<double>(i), y, each - 8, row_height};
    canvas.box(at, look, 6);
    canvas.text(at.x + at.width / 2, y + 27, words(i), "", Anchor::middle, static_cast<std::size_t>(at.width / 6.1));
    for (double x = at.x + 24; x < at.x + at.width - 12; x += 48) {
      if (up) canvas.line(x, y - row_gap, x, y, "between");
      if (down) canvas.line(x, y + row_height, x, y + row_height + row_gap, "between");
    }
  }
  if (groups > drawn) canvas.text(right + 4, y + 27, fmt::format("and {} more", groups - drawn), "soft");
}

std::string picture(const Cluster& cluster) {
  Canvas canvas;
  double y = 6;
  const auto& tiers = cluster.fabric().tiers;
  for (std::size_t i = tiers.size(); i-- > 0;) {
    const FabricTier& tier = tiers[i];
    const std::int64_t last = cluster.group_in_tier(cluster.node_count() - 1, static_cast<int>(i));
    draw_row(canvas, y, last + 1, tier.name.empty() ? fmt::format("tier {}", i + 1) : tier.name, "fabric",
             i + 1 < tiers.size(), i == 0,
             [&](std::int64_t) { return fmt::format("{} node{}", tier.nodes, tier.nodes == 1 ? "" : "s"); });
    const Quantity keeps = cluster.bandwidth_through(static_cast<int>(i));
    const std::string carries = describe_bandwidth(keeps);
    canvas.text(
        8, y + 34,
        (carries.empty() ? "" : carries + " a rail") + latency_words(cluster.latency_through(static_cast<int>(i))),
        "soft", Anchor::start, 27);
    y += row_height + row_gap;
  }
  draw_row(canvas, y, static_cast<std::int64_t>(cluster.groups().size()), "nodes", "cpu", false, false,
           [&](std::int64_t i) {
             const NodeGroup& group = cluster.groups()[static_cast<std::size_t>(i)];
             return fmt::format("{} × {}", group.count, group.machine.empty() ? "machine" : group.machine);
           });
  y += row_height + 6;
  return canvas.svg(wide, y, 640, "cluster", "Picture of " + cluster.name(),
                    fmt::format("{} nodes with {} GPUs below {} tiers of switches.", cluster.node_count(),
                                cluster.gpu_count(), tiers.size()));
}

}  // namespace

Section cluster_section(const Cluster& cluster) {
  Section section{.id = "machine", .title = "Machine", .gist = {}, .html = {}};
  section.gist = fmt::format("{} nodes, {} GPUs", cluster.node_count(), cluster.gpu_count());
  const Fabric& fabric = cluster.fabric();
  const std::string carries = describe_bandwidth(fabric.bandwidth);
  section.html =
      fmt::format("<h3>{}</h3>\n<p>{}; {} rail{}{}{}, {}.</p>\n", escaped(cluster.name()), section.gist, fabric.rails,
                  fabric.rails == 1 ? "" : "s", fabric.link.empty() ? "" : " of " + escaped(fabric.link),
                  carries.empty() ? "" : ", " + carries + " each", name(fabric.wiring));
  section.html += "<figure>" + picture(cluster) + "</figure>\n";
  if (!fabric.tiers.empty()) {
    section.html += table_head("Tiers of switches, the lowest first",
                               {"tier", "nodes in a group", "oversubscription", "a rail keeps", "latency"});
    for (std::size_t i = 0; i < fabric.tiers.size(); ++i) {
      const FabricTier& tier = fabric.tiers[i];
      const std::string latency = latency_words(cluster.latency_through(static_cast<int>(i)));
      section.html += table_row({tier.name, fmt::format("{}", tier.nodes), fmt::format("{:g}:1", tier.oversubscription),
                                 describe_bandwidth(cluster.bandwidth_through(static_cast<int>(i))),
                                 latency.empty() ? "" : latency.substr(2)});
    }
    section.html += table_end;
  }
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(cluster.groups().size(), most); ++i) {
    const NodeGroup& group = cluster.groups()[i];
    if (group.topology.empty()) continue;
    const Section node = machine_section(group.topology, fmt::format("group{}-", i));
    section.html += fmt::format("<h3>One of {} nodes</h3>\n", group.count) + node.html;
  }
  for (const std::string& note : cluster.notes()) section.html += "<p>" + escaped(note) + "</p>\n";
  return section;
}

}  // namespace tutti::report
