/// @file  Environments, scripts and configuration files with settings in them: all that is said of them can be printed.
#include "harness.hpp"
#include "settings/lint.hpp"
#include "settings/read.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto ranks = settings::read_settings(text, "input");
  fuzz::expect(!ranks.empty(), "there is a rank at least");
  for (const Finding& finding : settings::lint(ranks, {})) {
    fuzz::expect(!finding.id.empty() && !finding.what.empty(), "a finding has an id and a sentence", finding.id);
  }
  settings::settings_of_line(text.substr(0, text.find('\n')));
  return 0;
}
