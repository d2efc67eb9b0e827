/// @file  Sections of a report: each is made from one kind of result, and knows nothing of the others.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "tutti/topology/cluster.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti::report {

struct Section {
  std::string id{};     ///< in links; plain
  std::string title{};  ///< a heading
  std::string gist{};   ///< a few words for the head of the page
  std::string html{};   ///< everything below the heading
};

/// Where a part of the report comes from, as the last section lists it.
struct Origin {
  std::string part{};  ///< "measurements"
  std::string from{};  ///< a file, or "this machine"
  std::string made{};  ///< when and by which version, where that is known
};

/// `prefix` begins the ids in it, so that several fit into one page.
Section machine_section(const Topology& topology, const std::string& prefix = {});
Section cluster_section(const Cluster& cluster);

/// What `tutti bench --json` wrote; several files are put together. Each is {name, contents}. Throws
/// Error(invalid_argument) naming file and place. Appends a line about each to `origins`.
Section bench_section(std::span<const std::pair<std::string, std::string>> files, std::vector<Origin>& origins);

/// What `tutti explain --json` wrote, with or without --here. As above.
Section explain_section(const std::string& name, std::string_view text);

/// `hosts` were looked at.
Section findings_section(std::span<const Finding> findings, const std::vector<std::string>& hosts);

/// What `tutti doctor --format json` wrote. Throws Error(invalid_argument) naming file and place.
std::vector<Finding> findings_from_json(std::string_view text, const std::string& name);

/// A table's row of cells that are escaped here; the first is its head.
std::string table_row(const std::vector<std::string>& cells, std::string_view look = {});
/// The opening of a table that scrolls by itself, with a caption for readers of a screen, and its head.
std::string table_head(std::string_view caption, const std::vector<std::string>& columns);
inline constexpr std::string_view table_end = "</tbody></table></div>\n";

}  // namespace tutti::report
