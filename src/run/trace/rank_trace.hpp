/// @file  RankTrace: the calls of one rank, as its trace file has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/run/call_record.hpp"

namespace tutti::trace {

/// Whose trace it is, and how its clock stands to that of rank 0.
struct TraceHead {
  int rank = 0;  ///< in the first communicator
  int ranks = 1;
  std::string host{};
  std::string job{};
  std::uint64_t family = 0;  ///< of the first communicator: equal on all its ranks, and on no other's
  std::int64_t process = 0;
  std::int64_t began = 0;      ///< seconds since 1970
  std::int64_t offset_ns = 0;  ///< what is added to its times to have those of rank 0's host
  std::int64_t error_ns = 0;   ///< the offset is right within so much
};

struct RankTrace {
  TraceHead head{};
  std::vector<CallRecord> calls{};  ///< in the order in which they ended
  std::uint64_t lost = 0;           ///< calls that could not be written
  bool cut_short = false;           ///< the process ended without finishing the file
};

/// Lines of a trace file, each a JSON value, with its line break: the head, a call, what is lost, the end. So a file is
/// readable up to the moment when its process was killed.
std::string head_line(const TraceHead& head);
std::string call_line(const CallRecord& call);
std::string end_line(std::uint64_t lost);

/// Throws Error(invalid_argument) naming `file` and the line for what is no trace. A line that was cut off is a lost call.
RankTrace parse_rank_trace(std::string_view text, const std::string& file);

}  // namespace tutti::trace
