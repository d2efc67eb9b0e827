#include "tutti/topology/write.hpp"

#include <fmt/format.h>

#include "topology/graphviz.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

std::optional<TopologyFormat> topology_format_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < topology_format_names.size(); ++i) {
    if (topology_format_names[i] == name) return static_cast<TopologyFormat>(i);
  }
  return {};
}

std::string write(const Topology& topology, TopologyFormat format) {
  switch (format) {
    case TopologyFormat::text:
      return to_text(topology);
    case TopologyFormat::matrix: {
      auto matrix = to_matrix(topology);
      if (!matrix.empty()) return matrix;
      throw Error(Code::invalid_argument,
                  fmt::format("{} lists no GPUs, and a matrix is of GPUs and their adapters", topology.name()),
                  {.remedy = "use --format text"});
    }
    case TopologyFormat::json:
      return to_json(topology) + "\n";
    case TopologyFormat::nccl_xml:
      return to_nccl_xml(topology);
    case TopologyFormat::dot:
      return to_dot(topology);
    case TopologyFormat::svg:
      return svg_of(to_dot(topology));
  }
  throw Error(Code::internal, "a form without a writer");
}

}  // namespace tutti
