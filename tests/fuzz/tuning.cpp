/// @file  Tuning files: what is accepted is written as it was read, has the same digest, and answers for every size.
#include "tutti/choose/tuning.hpp"
#include "harness.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tuning = fuzz::read_or_refused([&] { return tuning_from_text(fuzz::text_of(data, size), "input"); });
  if (!tuning) return 0;
  const std::string json = to_json(*tuning);
  const Tuning again = tuning_from_text(json, "input");
  fuzz::expect(again == *tuning, "a tuning is read as it was written", json);
  fuzz::expect(digest(again) == digest(*tuning), "equal tunings have equal digests", json);
  for (const TunedCall& call : tuning->calls) {
    fuzz::expect(tuned_call(*tuning, call.collective, call.reach, call.ranks) == &call, "a call is found", json);
    for (const TunedWay& way : call.ways) {
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, ~std::size_t{0}}) {
        const auto us = tuned_us(call, way.algorithm, way.protocol, bytes);
        fuzz::expect(!us || *us >= 0, "a time is no less than nothing", json);
      }
    }
  }
  return 0;
}
