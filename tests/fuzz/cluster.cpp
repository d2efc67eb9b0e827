/// @file  One reader of clusters, TUTTI_FUZZ_KIND: what it accepts is written as our JSON and read again as it was.
#include "forms.hpp"
#include "topology/cluster_reader.hpp"
#include "topology/source_text.hpp"
#include "tutti/topology/cluster_file.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool slurm = std::string_view(TUTTI_FUZZ_KIND) == "slurm";
  const auto cluster = fuzz::read_or_refused([&] {
    const auto text = checked_text(fuzz::text_of(data, size), "input");
    return slurm ? read_slurm_conf(text, "input") : read_cluster_json(text, "input");
  });
  if (!cluster) return 0;
  const std::string json = to_json(*cluster);
  ClusterParts again = cluster_from_text(json, "input").parts();
  again.source = cluster->source();
  fuzz::expect(again == cluster->parts(), "a cluster is read as it was written", json);
  if (cluster->node_count() <= 256) fuzz::check(sketch(*cluster), true);
  return 0;
}
