/// @file  What people and launchers write: sizes, times, lists of processors and hosts, endpoints.
#include <string>

#include "bootstrap/nodelist.hpp"
#include "harness.hpp"
#include "topology/cpu_list.hpp"
#include "tutti/base/units.hpp"
#include "tutti/bootstrap/endpoint.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  fuzz::may_refuse([&] { parse_bytes(text); });
  fuzz::may_refuse([&] { parse_duration(text, "time"); });
  first_host(text);
  if (const auto cpus = parse_cpu_list(text)) {
    fuzz::expect(parse_cpu_list(format_cpu_list(*cpus)) == cpus || cpus->empty(), "a list is read as it was written");
  }
  if (const auto cpus = parse_cpu_mask(text)) {
    fuzz::expect(parse_cpu_mask(format_cpu_mask(*cpus)) == cpus || cpus->empty(), "a mask is read as it was written");
  }
  fuzz::may_refuse([&] {
    const Endpoint endpoint = endpoint_from(text);
    fuzz::expect(endpoint_from(to_string(endpoint)) == endpoint, "an endpoint is read as it was written");
  });
  return 0;
}
