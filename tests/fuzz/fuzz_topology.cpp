/// @file  Texts that describe a machine, of whatever kind: what is read can be written in every form, and read again.
// seeds: tests/topology/data
// words: topology.words
#include "refused.hpp"
#include "tutti/topology/combine.hpp"
#include "tutti/topology/read.hpp"
#include "tutti/topology/write.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const Topology topology = from_text(fuzz::text_of(data, size), "input");
    fuzz::expect(deserialise(serialise(topology)) == topology, "what was read survives being sent");
    to_text(topology);
    to_matrix(topology);
    to_dot(topology);
    to_json(topology);
    to_nccl_xml(topology);  // may refuse: it needs bus ids
  });
  return 0;
}
