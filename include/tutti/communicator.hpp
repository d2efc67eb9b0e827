/// @file  Communicator: the ranks that act together, and what a call is submitted to.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/element.hpp"
#include "tutti/base/request.hpp"
#include "tutti/base/span.hpp"
#include "tutti/bootstrap/world.hpp"
#include "tutti/choose/decision.hpp"
#include "tutti/config.hpp"
#include "tutti/run/work.hpp"
#include "tutti/topology/topology.hpp"

namespace tutti {

struct CommunicatorState;

/// Memory that the other ranks of the host can reach: collectives on it skip all copies. Belongs to the communicator
/// that made it and keeps that alive; dropping it gives the memory back.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<T> data, std::size_t count) : data_(std::move(data)), count_(count) {}

  T* data() const { return data_.get(); }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t index) const { return data_.get()[index]; }
  T* begin() const { return data(); }
  T* end() const { return data() + count_; }
  operator Span<T, Memory::host>() const { return {data(), count_}; }

 private:
  std::shared_ptr<T> data_;
  std::size_t count_ = 0;
};

/// A rank's end of a group of ranks. A cheap handle: copies are the same communicator.
///
/// Making one is collective. Calls on one communicator are made in the same order by all its ranks, each from one thread
/// at a time. Different communicators of a process may be used by different threads, unless one was split from the other
/// without Config::progress_thread: those share their progress.
///
/// The first call on device memory is where the ranks look for their devices and engines: it is collective, whatever it is.
class Communicator {
 public:
  /// Throws bootstrap, timeout (naming the ranks that have not come), resource, unsupported.
  explicit Communicator(World world, const Config& config = {});

  int rank() const noexcept;
  int size() const noexcept;
  const Topology& topology() const noexcept;
  const World& world() const noexcept;
  const Config& config() const noexcept;

  /// Collective. Ranks that give the same color form a new communicator, ordered by key, then by their rank here.
  /// A negative color takes part and gets nothing.
  std::optional<Communicator> split(int color, int key = 0) const;
  /// Collective: one more of the same ranks, whose calls are independent of this one's.
  Communicator duplicate() const;
  /// After a failure, or to leave ranks behind that are gone: collective over the ranks that are left, which agree who
  /// they are and get a communicator of their own, ordered as here. Calls of this one fail from then on. It waits until every
  /// rank has called it, has ended, or has dropped this communicator, at most for World::timeout; a rank that has not come
  /// by then is left out, and its own call throws aborted. Ranks may be lost meanwhile. Throws unsupported between hosts,
  /// invalid_argument when called twice, peer_lost when too many ranks were lost during it.
  Communicator shrink() const;
  /// Collective: takes in `newcomers` ranks, processes or threads of this host, which call `join(place)` (tutti/bootstrap/join.hpp)
  /// with the job and the secret of this World and make a Communicator of what that returns, with this Config. All get a
  /// communicator of size() + newcomers ranks: these in their order, then those as they came. This one stays as it is. The ranks
  /// wait for World::timeout; where one cannot, all throw, and this one goes on. `place` ("unix:NAME") is the same on all ranks.
  /// Throws unsupported between hosts, invalid_argument, resource when the place is taken, timeout naming the ranks that
  /// have not come, aborted when another rank has an error, and what a call of this one throws.
  Communicator grow(int newcomers, const std::string& place) const;

  /// Collective: `count` zeroed elements on this rank, reachable by the others; count is the same on all ranks.
  /// Throws mismatch (on all ranks) when it is not, resource.
  template <Element T>
  Buffer<T> allocate(std::size_t count) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    std::shared_ptr<void> memory = allocate_bytes(count <= most / sizeof(T) ? count * sizeof(T) : most);
    T* data = static_cast<T*>(memory.get());
    return {std::shared_ptr<T>(std::move(memory), data), count};
  }

  /// Makes every call of every rank of this communicator fail, those in progress and those to come. From any thread;
  /// may be called again.
  void abort() noexcept;

  /// How a request would be run.
  Decision decide(const Request& request) const;
  /// Checks, chooses, begins. See collectives.hpp for the calls people make.
  Work submit(const Request& request);

 private:
  explicit Communicator(std::shared_ptr<CommunicatorState> state) : state_(std::move(state)) {}
  std::shared_ptr<void> allocate_bytes(std::size_t bytes);
  friend class Group;
  Work submit_together(const std::vector<Request>& requests);

  std::shared_ptr<CommunicatorState> state_;
};

}  // namespace tutti
