/// @file  The list of readers, and the choice among them.
#include <array>

#include "topology/reader.hpp"

namespace tutti {

std::span<const Reader> readers() {
  // Strict kinds first: the first that recognises a text reads it.
  static const std::array all{cluster_json_reader, tutti_json_reader, nccl_xml_reader,   nccl_graph_reader,
                              hwloc_xml_reader,    nccl_log_reader,   slurm_reader,      rocm_smi_reader,
                              smi_topo_reader,     smi_p2p_reader,    smi_nvlink_reader, ibstat_reader};
  return all;
}

}  // namespace tutti
