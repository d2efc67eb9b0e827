/// @file  Group: calls recorded now and begun together.
#pragma once

#include <vector>

#include "tutti/communicator.hpp"

namespace tutti {

/// Records calls; `launch` begins them all before any is waited for, so that sends and receives of a group cannot
/// deadlock one another. Buffers and tables of counts must outlive the work. Recording checks nothing; launching does,
/// before anything is begun. A group that is dropped without a launch does nothing.
class Group {
 public:
  explicit Group(Communicator& communicator) : communicator_(communicator) {}

  /// Records. In use: `all_reduce(group, a, sum); broadcast(group, b, 0);`
  void submit(const Request& request) { requests_.push_back(request); }

  int size() const noexcept { return communicator_.size(); }

  /// Begins everything recorded, in order, and forgets it.
  Work launch();

 private:
  Communicator& communicator_;
  std::vector<Request> requests_;
};

}  // namespace tutti
