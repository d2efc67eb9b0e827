/// @file  Logs of NCCL, whole or damaged: whatever is in them, what is told of them can be printed.
#include "doctor/log_findings.hpp"
#include "harness.hpp"
#include "topology/nccl_log.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const doctor::LogReport report = doctor::read_log(text, "input");
  for (const Finding& finding : report.findings) {
    fuzz::expect(!finding.id.empty() && !finding.what.empty(), "a finding has an id and a sentence", finding.id);
  }
  fuzz::expect(!report.failed || !report.findings.empty(), "a job that failed has a cause");
  logged_channels(text);
  return 0;
}
