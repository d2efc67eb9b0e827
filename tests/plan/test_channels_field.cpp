/// @file  Channels on real NCCL files, where a folder of them lies beside the project, against what NCCL found there.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "topology/nccl_graph.hpp"
#include "topology/nccl_log.hpp"
#include "tutti/plan/channels.hpp"
#include "tutti/topology/copies.hpp"
#include "tutti/topology/presets.hpp"
#include "tutti/topology/read.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tutti;

constexpr const char* no_folder =
    "NOTHING TESTED: no folder topology in ../shared/data beside the project; $TUTTI_FIELD_DATA names another place";

/// The folder "topology" in $TUTTI_FIELD_DATA, or in ../shared/data; empty when there is none.
fs::path field_data() {
  const char* given = std::getenv("TUTTI_FIELD_DATA");
  const auto folder = (given ? fs::path(given) : fs::path(TUTTI_SOURCE_DIR) / "../shared/data") / "topology";
  std::error_code error;
  return fs::is_directory(folder, error) ? folder : fs::path{};
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

double total(const plan::Channels& channels) {
  return plan::bus_bandwidth(channels, Collective::all_reduce, Algorithm::ring);
}

/// The file leaves NVLink to be found at run time; NCCL's log of that machine shows that every GPU reaches every other.
Topology with_nvswitch(const Topology& machine) {
  TopologyParts parts = machine.parts();
  const int middle = parts.add(Device{.kind = DeviceKind::nv_switch, .name = "nvswitch"});
  for (const int gpu : machine.all(DeviceKind::gpu)) {
    parts.add(
        Link{.kind = LinkKind::nvlink, .from = gpu, .to = middle, .count = 12, .bandwidth = Quantity::assumed(240)});
  }
  return Topology(std::move(parts));
}

/// The machines that a log or graph file of the folder is from, as other files of the folder or presets tell; nothing where
/// none does.
std::optional<Topology> machines_of(const fs::path& folder, const std::string& file) {
  if (file == "azure-ncv4-graph.xml") return from_file(folder / "nccl-topo/ncclpr-ncv4-topo.xml");
  if (file == "awsefa-p4d-16ranks-nccl2.9.txt")
    return copies(with_nvswitch(from_file(folder / "nccl-topo/aws-p4d-24xl-topo.xml")), 2);
  if (file.starts_with("superbench-8xA100") || file == "liplus-sendrecv-a100.txt") return preset("dgx-a100");
  const Topology drawn = from_file(folder / "nccl-log" / file);  // the log's own system
  if (!drawn.links().empty() && drawn.all(DeviceKind::gpu).size() > 1) return drawn;
  return {};
}

double total_of_trees(const plan::Channels& channels) {
  return plan::bus_bandwidth(channels, Collective::broadcast, Algorithm::tree);
}

}  // namespace

TEST_CASE("real files of machines get channels that are proven, in a search that is short") {
  const auto folder = field_data();
  if (folder.empty()) {
    WARN(no_folder);
    return;
  }
  int planned = 0;
  for (const char* kind : {"nccl-topo", "rccl-topo", "hwloc"}) {
    for (const auto& entry : fs::directory_iterator(folder / kind)) {
      if (entry.path().filename().string().starts_with("frag-")) continue;
      CAPTURE(entry.path().string());
      const Topology topology = from_file(entry.path());
      const auto channels = plan::plan_channels(topology);
      CHECK(channels.work <= 40'100);
      if (topology.all(DeviceKind::gpu).size() < 2) continue;
      CHECK(channels.why_none.empty());
      CHECK(plan::prove_channels(topology, channels).failures.empty());
      ++planned;
    }
  }
  WARN(planned << " real machines planned");
}

TEST_CASE("channels are at least as wide as NCCL planned and measured in every log and graph of a known machine") {
  const auto folder = field_data();
  if (folder.empty()) {
    WARN(no_folder);
    return;
  }
  int files = 0;
  int compared = 0;
  std::string passed_over;
  for (const char* kind : {"nccl-graph", "nccl-log", "nccl-tests"}) {
    for (const auto& entry : fs::directory_iterator(folder / kind)) {
      const auto file = entry.path().filename().string();
      CAPTURE(file);
      ++files;
      const bool known = std::string(kind) == "nccl-log" || file.starts_with("superbench") ||
                         file.starts_with("liplus") || std::string(kind) == "nccl-graph";
      const auto machines = known ? machines_of(folder, file) : std::nullopt;
      const int before = compared;
      if (machines) {
        const auto channels = plan::plan_channels(*machines);
        CHECK(plan::prove_channels(*machines, channels));
        const auto at_least = [&](double ours, double nccl) {
          if (nccl <= 0) return;
          CHECK(ours >= nccl * 0.999);
          ++compared;
        };
        if (std::string(kind) == "nccl-graph") {
          for (const NcclGraph& graph : read_nccl_graphs(text_of(entry.path()), file)) {
            const double planned = graph.intra_bandwidth * static_cast<double>(graph.channels.size());
            if (graph.id == 0) at_least(total(channels), planned);
            // NCCL counts a chain that goes up and the one that comes down as two channels.
            if (graph.id == 1) at_least(2 * total_of_trees(channels), planned);
          }
        } else {
          const auto logged = logged_channels(text_of(entry.path()));
          at_least(total(channels), logged.planned_bandwidth(true));
          at_least(2 * total_of_trees(channels), logged.planned_bandwidth(false));
          at_least(std::max(total(channels), plan::bus_bandwidth(channels, Collective::all_reduce, Algorithm::tree)),
                   logged.best_bus_bandwidth);
        }
      }
      if (compared == before) passed_over += (passed_over.empty() ? "" : ", ") + file;
    }
  }
  WARN(compared << " bandwidths of NCCL compared, from " << files
                << " files; without a bandwidth or a known machine: " << passed_over);
  CHECK(compared >= 5);
}

TEST_CASE("channels on real files are as wide as NCCL's own") {
  const auto folder = field_data();
  if (folder.empty()) {
    WARN(no_folder);
    return;
  }
  // Azure NC96ads A100 v4: NCCL's graph file beside the topology file.
  const auto graphs = read_nccl_graphs(text_of(folder / "nccl-graph/azure-ncv4-graph.xml"), "azure");
  const double nccl = graphs[0].intra_bandwidth * static_cast<double>(graphs[0].channels.size());
  CHECK(nccl == 24);
  CHECK(total(plan::plan_channels(from_file(folder / "nccl-topo/ncclpr-ncv4-topo.xml"))) >= nccl);

  // Two AWS p4d: NCCL's log lists four different rings over four adapters of PCI generation 3, 12 GB/s each.
  const auto log = text_of(folder / "nccl-log/awsefa-p4d-16ranks-nccl2.9.txt");
  std::set<std::string> rings;
  for (std::size_t at = log.find("/08 :"); at != std::string::npos; at = log.find("/08 :", at + 1)) {
    rings.insert(log.substr(at, log.find('\n', at) - at));
  }
  CHECK(rings.size() == 4);
  const Topology p4d = copies(with_nvswitch(from_file(folder / "nccl-topo/aws-p4d-24xl-topo.xml")), 2);
  const auto channels = plan::plan_channels(p4d);
  CHECK(channels.rings.size() >= rings.size());
  CHECK(total(channels) >= 12.0 * static_cast<double>(rings.size()) * 0.999);
  CHECK(plan::prove_channels(p4d, channels));

  // OCI H100: NCCL's search on 18 NVLinks of 20.6 GB/s takes 12 rings of 30 GB/s.
  const Topology h100 = from_file(folder / "nccl-topo/oci-H100-topology.xml");
  CHECK(total(plan::plan_channels(h100)) >= 12 * 30.0);
}
