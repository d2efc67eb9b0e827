/// @file  CallLines: the lines in which the calls of a communicator wait for one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tutti/base/request.hpp"

namespace tutti {

/// A line of calls in which each waits for the one before.
struct CallLine {
  std::uint64_t issued = 0;
  std::uint64_t ended = 0;
};

/// Collectives run in the order they were submitted, which must be the same on all ranks; sends and receives go beside
/// them, in order for each peer and direction.
class CallLines {
 public:
  explicit CallLines(int ranks) : ranks_(static_cast<std::size_t>(ranks)), pairwise_(2 * ranks_) {}

  CallLine& of(const Request& request) {
    if (!is_pairwise(request.collective)) return collectives_;
    const auto peer = static_cast<std::size_t>(request.root);
    return pairwise_[request.collective == Collective::send ? peer : peer + ranks_];
  }

 private:
  std::size_t ranks_;
  CallLine collectives_;
  std::vector<CallLine> pairwise_;  ///< [2 · ranks]: sends to each peer, then receives from each
};

}  // namespace tutti
