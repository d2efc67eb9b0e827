#include "cli/cluster_named.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "topology/cluster_reader.hpp"
#include "topology/source_text.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/cluster_file.hpp"
#include "tutti/topology/cluster_of.hpp"
#include "tutti/topology/preset_clusters.hpp"
#include "tutti/topology/read.hpp"

namespace tutti::cli {

Cluster cluster_named(const std::string& name, std::int64_t nodes) {
  if (nodes < 0 || nodes > Cluster::max_nodes) {
    throw Error(Code::invalid_argument, fmt::format("{} nodes; expected 1 to {}", nodes, Cluster::max_nodes));
  }
  const std::int64_t machines = std::max<std::int64_t>(nodes, 1);
  std::error_code error;
  if (name != "-" && !std::filesystem::exists(name, error)) {
    if (find_cluster_preset(name) != nullptr) return preset_cluster(name, nodes);
    return cluster_of(from_file_or_preset(name), machines);
  }
  const SourceText source = text_of(name);
  const std::string_view text = checked_text(source.text, source.name);
  if (!is_cluster_json(text) && !is_slurm_conf(text)) return cluster_of(from_text(text, source.name), machines);
  if (nodes > 0) {
    throw Error(Code::invalid_argument,
                fmt::format("--nodes {}: {} is a file and says itself how many there are", nodes, source.name),
                {.remedy = "leave --nodes away"});
  }
  return cluster_from_text(text, source.name);
}

}  // namespace tutti::cli
