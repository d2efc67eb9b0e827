/// @file  Any text that may describe a machine or a cluster: its kind is recognised, or it is refused by its place.
#include <set>
#include <sstream>

#include "forms.hpp"
#include "topology/reader.hpp"
#include "tutti/topology/cluster_file.hpp"

using namespace tutti;

/// Has every reader a target of its own?
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::istringstream kinds(TUTTI_FUZZ_KINDS);
  std::set<std::string> with_target;
  for (std::string kind; kinds >> kind;) with_target.insert(kind);
  for (const Reader& reader : readers()) {
    fuzz::expect(with_target.contains(std::string(reader.kind)), "tests/fuzz/CMakeLists.txt names every reader",
                 std::string(reader.kind));
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const bool by_hand = text.find("\"tutti-") != std::string_view::npos;
  if (const auto topology = fuzz::read_or_refused([&] { return from_text(text, "input"); })) {
    fuzz::check(*topology, by_hand);
  }
  fuzz::read_or_refused([&] { return cluster_from_text(text, "input"); });
  return 0;
}
