/// @file  CallRecord: what is kept of one call: which it was, when, and how far it got. Everything that watches calls
/// reads these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tutti/base/error.hpp"
#include "tutti/base/reduce_op.hpp"
#include "tutti/base/types.hpp"

namespace tutti {

/// Calls that are kept for each rank: those before are forgotten.
inline constexpr std::size_t recorded_calls = 1024;

enum class CallState : std::uint8_t {
  queued = 1,  ///< made; earlier calls of its communicator are not over
  running = 2,
  done = 3,
  failed = 4,  ///< with an error
};
/// "queued", "running", "done", "failed".
std::string_view name(CallState state) noexcept;

/// A call of one rank, as a value.
///
/// A time is in nanoseconds of the machine's monotonic clock (CLOCK_MONOTONIC); 0: not known. Every call has its time of
/// entry. The end of a call that moves little is noted for every eighth only (`end_is_noted`): reading the clock would cost more
/// than the rest. While somebody observes calls, every end is noted.
struct CallRecord {
  std::uint64_t number = 0;        ///< calls of this rank so far, this one included: 1, 2, …
  std::uint64_t communicator = 0;  ///< the same on all its ranks, and no other's; 0: not known any more
  int rank = -1;                   ///< in the communicator
  int size = 0;                    ///< ranks of it
  /// Collectives of the communicator before this one; of a send or recv the messages before it, in its direction
  /// between its two ranks. Equal on all ranks whose calls belong together.
  std::uint64_t turn = 0;

  Collective collective{};
  DataType type{};
  Op op{};
  Backend engine{};
  Algorithm algorithm{};
  Protocol protocol{};
  bool in_place = false;
  bool deterministic = false;
  std::uint32_t element_size = 0;  ///< bytes
  int root = -1;                   ///< or the peer of a send or recv; -1: the call has none
  std::uint64_t count = 0;         ///< elements, as Request::count; of the uneven ones the sum of the table

  CallState state{};
  Code code{};               ///< of a failed call
  std::int64_t entered = 0;  ///< when it was made
  std::int64_t started = 0;  ///< when its turn came
  std::int64_t ended = 0;    ///< when it was done, or failed

  /// What it was seen waiting for, when it had waited for some time. `looked`: when that was; 0: never.
  std::int64_t looked = 0;
  int awaited = -1;           ///< a rank of the communicator; -1: none alone
  bool for_room = false;      ///< the peer is to take messages; else it is to send one, or to come to a barrier
  std::uint32_t step = 0;     ///< from 1; 0: not known
  std::uint32_t steps = 0;    ///< of the schedule
  std::uint32_t lane = 0;     ///< of the schedule, from 0
  std::uint32_t chunk = 0;    ///< from 1
  std::uint32_t chunks = 0;   ///< that the schedule goes through
  bool at_barrier = false;    ///< the step is one
  bool with_network = false;  ///< it waits for a call of the network between hosts
  bool comparing = false;     ///< it waits for the others' calls, to be compared with its own

  std::uint64_t bytes() const { return count * element_size; }
  bool ended_already() const { return state == CallState::done || state == CallState::failed; }
  bool end_is_noted() const { return ended != 0; }
};

/// "all_reduce of 4 MiB float32 (sum)", "send of 8 B int32 to rank 3".
std::string describe(const CallRecord& record);

/// Told of calls as they are made and as they end. Called from the thread that moves the call on, in the order in which calls
/// are made or end, with the communicator's lock: it must be quick, must not throw and must not call the communicator.
class CallObserver {
 public:
  CallObserver() = default;
  virtual ~CallObserver() = default;
  CallObserver(const CallObserver&) = delete;
  CallObserver& operator=(const CallObserver&) = delete;

  /// It has been made.
  virtual void entered(const CallRecord& record) noexcept { static_cast<void>(record); }
  virtual void ended(const CallRecord& record) noexcept = 0;
  /// The call with this number has ended, but newer ones have taken its record's place.
  virtual void missed(std::uint64_t number) noexcept { static_cast<void>(number); }
};

}  // namespace tutti
