/// @file  Work: a call on its way, to wait for as a future or, on a device, as an event.
#pragma once

#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "tutti/base/stream.hpp"

namespace tutti {

class Operation;
class Keeper;

/// What a collective call returns. Dropping it waits, unless the call is on a stream of the caller's: a failure is then thrown by the communicator's next
/// call.
///
/// Without a progress thread (Config::progress_thread) a call moves on only while its caller, or any wait of
/// the same thread on the same family of communicators, is inside the library. One thread at a time uses a
/// Work.
class Work {
 public:
  Work() = default;                            ///< already done
  Work(Operation& operation, Keeper& keeper);  ///< made by communicators
  /// Done when all are.
  explicit Work(std::vector<Work> parts) : parts_(std::make_unique<std::vector<Work>>(std::move(parts))) {}
  Work(Work&& other) noexcept
      : operation_(std::exchange(other.operation_, nullptr)), keeper_(other.keeper_), parts_(std::move(other.parts_)) {}
  Work& operator=(Work&& other) noexcept;
  Work(const Work&) = delete;  // one call, one owner
  Work& operator=(const Work&) = delete;
  ~Work();

  /// Blocks until the call is done. Throws what went wrong: timeout, aborted, mismatch, peer_lost.
  void wait();
  /// Moves everything on that can move, without blocking; true when wait() would return at once.
  bool done();
  /// Device memory only: what is put into the stream from now on comes after the call; nothing blocks here. Throws
  /// unsupported for calls on host memory.
  void before(Stream stream) const;

 private:
  void finish() noexcept;
  std::exception_ptr end(bool seen) noexcept;

  Operation* operation_ = nullptr;
  Keeper* keeper_ = nullptr;  ///< of the communicator: it lives at least as long as this
  std::unique_ptr<std::vector<Work>> parts_;
};

}  // namespace tutti
