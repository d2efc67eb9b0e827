/// @file  Files of flight recorders, two of them, and what the autopsy makes of them.
#include "cli/autopsy.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "run/flight_layout.hpp"

using namespace tutti;

namespace {

/// A file that is one as far as its first bytes go; the input is its header, its first communicators and calls.
std::vector<std::byte> file_of(ByteSpan input) {
  std::vector<std::byte> bytes(flight::total_bytes);
  const auto put = [&](std::size_t at, std::size_t most) {
    const std::size_t take = std::min(most, input.size());
    std::copy_n(input.begin(), take, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    input = input.subspan(take);
  };
  put(16, 96);
  put(flight::memberships_offset, 4 * sizeof(flight::Membership));
  put(flight::slots_offset, 64 * sizeof(flight::Slot));
  std::memcpy(bytes.data(), &flight::magic, sizeof flight::magic);
  std::memcpy(bytes.data() + 8, &flight::version, sizeof flight::version);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = fuzz::bytes_of(data, size);
  fuzz::read_or_refused([&] { return read_flight_file(input, "input"); });
  std::vector<cli::Remains> remains;
  for (const ByteSpan part : {input.first(size / 2), input.subspan(size / 2)}) {
    auto file = fuzz::read_or_refused([&] { return read_flight_file(file_of(part), "input"); });
    if (!file) continue;
    for (const CallRecord& call : file->calls) fuzz::expect(!describe(call).empty(), "a call has a description");
    if (!remains.empty() && remains[0].file.rank == file->rank) continue;
    remains.push_back({*std::move(file), cli::Process::gone});
  }
  if (remains.empty()) return 0;
  for (const Finding& finding : cli::autopsy_of(remains).findings) {
    fuzz::expect(!finding.id.empty() && !finding.what.empty(), "a finding has an id and a sentence", finding.id);
  }
  return 0;
}
