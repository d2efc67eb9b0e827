/// @file  Jobs of several processes for tests: this executable once a rank, each playing one hidden test case.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutti::test {

/// How a job ended.
struct JobEnd {
  std::vector<int> status;          ///< [ranks] as waitpid gives it; -1: it had to be killed at the deadline
  std::vector<std::string> output;  ///< [ranks] standard output and error together
  bool all_passed() const;
  /// Everything that the ranks said, for a failure's message.
  std::string text() const;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Starts `ranks` copies of this executable that run the Catch2 cases with `tag` ("[rank]"), with the variables by
/// which tutti::from_environment finds the others. Returns when all have ended, or kills them after `seconds`,
/// instrumented by a sanitizer after four times as many.
JobEnd run_job(int ranks, const std::string& tag, const Variables& more = {}, int seconds = 90);

}  // namespace tutti::test
