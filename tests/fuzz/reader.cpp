/// @file  One reader of machines, TUTTI_FUZZ_KIND: it refuses a text by its place, or makes a topology of it.
#include <algorithm>

#include "forms.hpp"
#include "topology/reader.hpp"
#include "topology/source_text.hpp"

using namespace tutti;

namespace {

const Reader& reader() {
  const auto all = readers();
  const auto found = std::find_if(all.begin(), all.end(), [](const Reader& r) { return r.kind == TUTTI_FUZZ_KIND; });
  fuzz::expect(found != all.end(), "there is a reader of this kind", TUTTI_FUZZ_KIND);
  return *found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Reader& its = reader();
  const auto topology = fuzz::read_or_refused([&] {
    const auto text = checked_text(fuzz::text_of(data, size), "input");
    its.recognises(text);
    return its.read(text, "input");  // also what it does not recognise
  });
  if (topology) fuzz::check(*topology, its.kind == "tutti-json");
  return 0;
}
