#include "tutti/topology/copies.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tutti/base/error.hpp"

namespace tutti {

Topology copies(const Topology& machine, int count) {
  if (count < 1 || count > 1024) {
    throw Error(Code::invalid_argument, fmt::format("{} machines; expected 1 to 1024", count));
  }
  if (count == 1) return machine;
  TopologyParts parts = machine.parts();
  parts.notes.clear();
  for (HostFacts& host : parts.hosts) host.id.clear();  // equal ones would count as one host
  const std::vector<Topology> all(static_cast<std::size_t>(count), Topology(std::move(parts)));
  TopologyParts merged = merge(all).parts();
  merged.name = fmt::format("{} x {}", count, machine.name());
  return Topology(std::move(merged));
}

}  // namespace tutti
