#include "tutti/topology/cluster_file.hpp"

#include <fmt/format.h>

#include "topology/cluster_reader.hpp"
#include "topology/reader.hpp"
#include "topology/source_text.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/preset_clusters.hpp"

namespace tutti {

Cluster cluster_from_text(std::string_view text, const std::string& name) {
  text = checked_text(text, name);
  if (is_cluster_json(text)) return read_cluster_json(text, name);
  if (is_slurm_conf(text)) return read_slurm_conf(text, name);
  const auto start = text.find_first_not_of(" \t\r\n");
  const auto line = text.substr(start, text.find_first_of("\r\n", start) - start);
  throw Error(Code::invalid_argument,
              fmt::format("{}:{}: \"{}\" begins no cluster; expected JSON with \"format\": \"tutti-cluster\", or "
                          "topology.conf of Slurm",
                          name, line_at(text, start), shown(line, 60)));
}

Cluster cluster_from_file(const std::filesystem::path& path) {
  const auto source = text_of(path);
  return cluster_from_text(source.text, source.name);
}

Cluster cluster_from_file_or_preset(const std::string& name) {
  constexpr std::string_view prefix = "preset:";
  if (name.empty()) {
    throw Error(Code::invalid_argument, "the name of a file or cluster is empty",
                {.remedy = "a shell variable may be unset"});
  }
  if (name.starts_with(prefix)) return preset_cluster(std::string_view(name).substr(prefix.size()));
  std::error_code error;
  if (name == "-" || std::filesystem::exists(name, error)) return cluster_from_file(name);
  return preset_cluster(name);
}

const Reader cluster_json_reader{
    .kind = "tutti-cluster",
    .what = "tutti cluster JSON",
    .recognises = is_cluster_json,
    .read = [](std::string_view text, const std::string& name) { return sketch(read_cluster_json(text, name)); }};

const Reader slurm_reader{
    .kind = "slurm",
    .what = "topology.conf of Slurm",
    .recognises = is_slurm_conf,
    .read = [](std::string_view text, const std::string& name) { return sketch(read_slurm_conf(text, name)); }};

}  // namespace tutti
