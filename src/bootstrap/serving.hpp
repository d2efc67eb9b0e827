/// @file  Serving: the store servers of this process, which outlive the Worlds they were opened for.
#pragma once

#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bootstrap/launch.hpp"
#include "tutti/bootstrap/store_server.hpp"

namespace tutti {

/// At the end of the process they go on for a moment: until the other ranks have hung up too, at most two seconds.
class Serving {
 public:
  /// Never destroyed: a World that is a global variable may be dropped after everything else.
  static Serving& of_process();

  /// The store of the job that `launch` describes, of which this process is rank 0; opened by the first call.
  std::shared_ptr<Store> open(const Launch& launch, Store::Deadline deadline);

  /// Takes over a server whose World has been dropped.
  void adopt(std::shared_ptr<StoreServer> server);

  /// How often a rank of a job has been made in this process before: 0, 1, …
  unsigned next_turn(const std::string& job, int rank);

 private:
  Serving() = default;
  void finish();

  const pid_t pid_ = ::getpid();  // a forked child has no servers to wait for
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<StoreServer>> by_job_;
  std::vector<std::shared_ptr<StoreServer>> adopted_;
  std::map<std::string, unsigned> turns_;
};

/// A server that outlives whoever drops it, until its members have hung up. Tries until the deadline while another has the
/// address: one that was dropped may have it for a moment yet.
std::shared_ptr<StoreServer> serve_beyond(const Endpoint& endpoint, const Admission& admission,
                                          Store::Deadline deadline);

/// A server holds a descriptor for each rank, and the usual soft limit is 1024: raises it as far as needed.
/// Throws Error(resource) when the hard limit is too low.
void allow_descriptors(int ranks);

/// Where the ranks of a launch may meet, in the order to try.
std::vector<Endpoint> meeting_places(const Launch& launch);

}  // namespace tutti
