/// @file  Autopsy: from what the ranks of a job noted of their calls, who keeps whom waiting, and why. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "run/flight_file.hpp"

namespace tutti::cli {

/// What is known of a rank's process.
enum class Process : std::uint8_t { unknown, running, stopped, gone };
/// "unknown", "running", "stopped", "gone".
const char* name(Process process) noexcept;

/// What one rank left.
struct Remains {
  FlightFile file{};
  Process process = Process::unknown;
};

/// What is said of a rank that has left a file.
struct RankReport {
  int rank = 0;
  Process process = Process::unknown;
  bool finished = false;  ///< its communicators went as they should
  std::string host{};
  long pid = 0;
  std::string state{};               ///< a sentence: "is in call 18 of communicator #1a2b, …"
  std::optional<CallRecord> call{};  ///< that this is about
};

struct CommunicatorReport {
  std::uint64_t id = 0;
  std::string name{};  ///< "#1a2b": how the text calls it
  std::uint64_t parent = 0;
  int size = 0;
  std::vector<int> ranks{};  ///< of the job, those of its members that have left a file
};

struct Autopsy {
  std::string job{};
  int size = 0;
  std::vector<RankReport> ranks{};  ///< that have left a file, ascending
  std::vector<CommunicatorReport> communicators{};
  std::vector<Finding> findings{};  ///< the cause first
};

/// `remains`: of ranks of one job (equal FlightFile::family), each at most once; at least one.
Autopsy autopsy_of(const std::vector<Remains>& remains);

}  // namespace tutti::cli
