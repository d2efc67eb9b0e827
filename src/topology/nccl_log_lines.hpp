/// @file  The lines of an NCCL_DEBUG log: who said what, whatever a launcher or a time stamp put before it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tutti {

/// One line. The views point into the text that was split; what a line does not say is empty or -1.
struct NcclLogLine {
  std::size_t number = 0;   ///< from 1
  int rank = -1;            ///< as the launcher or the process itself tells it
  std::string_view time{};  ///< without its brackets: "2026-05-05 06:16:47"
  std::string_view host{};  ///< empty: not a line of NCCL, but of the program around it
  long pid = -1;
  long thread = -1;
  int device = -1;           ///< CUDA's number
  std::string_view level{};  ///< "INFO", "WARN", "TRACE", "CALL", …; empty as host is
  std::string_view file{};   ///< where a warning comes from: "transport/net_ib.cc:74"
  std::string_view text{};   ///< what was said, without blanks around
};

/// All lines that are not empty. Understands what Open MPI ("[1,3]<stdout>:"), MPICH ("[3] "), Slurm ("3: ") and
/// torchrun ("[rank3]:") put before them. Ranks that only the log itself tells ("comm 0x… rank 3 nranks 8") are given
/// to every line of the same process and device.
std::vector<NcclLogLine> nccl_log_lines(std::string_view text);

}  // namespace tutti
