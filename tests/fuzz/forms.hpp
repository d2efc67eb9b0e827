/// @file  What must hold of every topology that a reader has made: it can be written in each form, and read again.
#pragma once

#include <string>
#include <vector>

#include "harness.hpp"
#include "tutti/topology/combine.hpp"
#include "tutti/topology/read.hpp"
#include "tutti/topology/write.hpp"

namespace tutti::fuzz {

/// The XML of NCCL needs bus ids, so it may be refused; what is written is read, and written the same again.
inline void check_nccl_xml(const Topology& topology) {
  std::string xml;
  try {
    xml = to_nccl_xml(topology);
  } catch (const Error&) {
    return;
  }
  const Topology again = from_text(xml, topology.name());
  expect(again.all(DeviceKind::gpu).size() >= topology.all(DeviceKind::gpu).size(), "NCCL's XML has all GPUs", xml);
  if (topology.source() != "nccl-xml") return;
  const std::string twice = to_nccl_xml(again);
  expect(twice == xml, "NCCL's XML is written as it was read", xml + "\n" + twice);
}

/// `by_hand`: from our own JSON, whose attributes may be what NCCL's XML cannot have.
inline void check(const Topology& topology, bool by_hand = false) {
  expect(deserialise(serialise(topology)) == topology, "what was read survives being sent");
  const std::string json = to_json(topology);
  expect(from_text(json, topology.name()) == topology, "our JSON is recognised and read as it was written", json);
  if (topology.devices().size() > 256) return;  // the other forms take too long to be tried often
  expect(differences(topology, topology).empty(), "nothing differs from itself", json);
  for (const auto& text : {to_text(topology), to_matrix(topology), to_dot(topology)}) {
    expect(first_invalid_utf8(text) == std::string::npos, "what is written is UTF-8", text);
    expect(text.find_first_of(std::string_view("\0\x1b\a\b", 4)) == std::string::npos, "it harms no terminal", text);
  }
  if (by_hand) {
    may_refuse([&] { to_nccl_xml(topology); });
  } else {
    check_nccl_xml(topology);
  }
  if (topology.hosts().size() == 1) combine(std::vector{topology, topology});
}

}  // namespace tutti::fuzz
