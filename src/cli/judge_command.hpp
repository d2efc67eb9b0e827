/// @file  tutti judge: is a measured number good? Each size beside what the machine should reach, and what to look at.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "cli/judge_result.hpp"
#include "tutti/choose/price.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

struct JudgedRow {
  MeasuredRow measured{};
  choose::Price expected{};
  double percent = 0;  ///< of the expected speed
  std::string grade{};
};

struct Judgement {
  choose::Platform platform{};
  std::vector<JudgedRow> rows{};
  std::vector<std::string> advice{};  ///< what to look at next; empty when nothing is amiss
  bool poor = false;                  ///< some size is
};

/// Compares with what NCCL's patterns should take. A size is "poor" beyond two standard deviations of the price, "low" beyond
/// one, "better" above two.
Judgement judge(const MeasuredTable& table, const choose::Platform& platform);

struct JudgeOptions {
  std::string result{};
  std::string topology{};  ///< empty: from the result's own lines on devices
  std::int64_t ranks = 0;
  bool json = false;
};

/// Status 1 when a size is poor. Throws Error.
int judge_command(const JudgeOptions& options, std::ostream& out);

void add_judge_command(CLI::App& app, int& status);

}  // namespace tutti::cli
