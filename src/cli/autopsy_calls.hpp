/// @file  The calls of a job, by communicator: which rank is where.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/autopsy.hpp"

namespace tutti::cli {

/// Calls that belong together: the same turn of the same communicator. A message is of its two ranks and its direction.
struct CallPlace {
  std::uint64_t communicator = 0;
  std::uint64_t turn = 0;
  int from = -1;  ///< of a message: ranks of the communicator; -1: a collective
  int to = -1;
  auto operator<=>(const CallPlace&) const = default;
};

/// Over the files of a job.
class JobCalls {
 public:
  explicit JobCalls(const std::vector<Remains>& remains);

  struct Communicator {
    std::uint64_t parent = 0;
    int size = 0;
    std::map<int, int> ranks;  ///< of the job, of each member that has left a file
  };
  const std::map<std::uint64_t, Communicator>& communicators() const { return communicators_; }
  std::string name(std::uint64_t communicator) const;
  /// The rank of the job; -1: not known.
  int rank_of(std::uint64_t communicator, int member) const;

  static CallPlace place(const CallRecord& call);
  /// "call 18 of communicator #1a2b", "message 3 from rank 1 to rank 2 in communicator #1a2b"
  std::string describe(const CallPlace& place) const;
  /// The members that take part, of collectives those that have left a file.
  std::vector<int> members(const CallPlace& place) const;

  /// The call of that member there; null: it has not made it, or it is forgotten.
  const CallRecord* find(const CallPlace& place, int member) const;
  /// Has it made calls of that line up to there? Nothing when its file is missing.
  std::optional<bool> has_entered(const CallPlace& place, int member) const;
  /// The last call in the same line (collectives of the communicator, or messages of that direction); null: none known.
  const CallRecord* last_in_line(const CallPlace& place, int member) const;

  struct Stuck {
    int rank;  ///< of the job
    const CallRecord* call;
    CallPlace place;
  };
  /// Calls that have not ended, or not well, oldest turn first.
  const std::vector<Stuck>& stuck() const { return stuck_; }

  const Remains* of_rank(int rank) const;
  const std::map<int, const Remains*>& ranks() const { return by_rank_; }
  int size() const { return size_; }

 private:
  int size_ = 0;
  std::map<int, const Remains*> by_rank_;
  std::map<std::uint64_t, Communicator> communicators_;
  std::vector<Stuck> stuck_;
};

}  // namespace tutti::cli
