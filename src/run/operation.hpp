/// @file  Operation: one call in progress, as an engine resumes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "run/flight_recorder.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/stream.hpp"

namespace tutti {

class ProgressLoop;

/// Resumable and never blocking: the loop calls `advance` until it says that it is finished. Engines own
/// operations and use them again after `released`.
class Operation {
 public:
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Does everything that can be done without waiting. True when finished. May throw: the call has failed.
  virtual bool advance() = 0;
  /// Throws when somebody else has given up, so that waiting on makes no sense.
  virtual void check_peers() {}
  /// The error of a wait that took longer than it may: what it waited for.
  virtual std::exception_ptr timed_out() = 0;
  /// What it waits for, for the flight recorder; cheap.
  virtual Waiting waiting() const { return {}; }
  /// Told once, when it ends with an error.
  virtual void failed(const std::exception_ptr&) noexcept {}
  /// The stream waits for it. For operations that are in a stream.
  virtual void before(Stream) const {
    throw Error(Code::unsupported, "a call on host memory has no place in a stream", {.remedy = "wait for it"});
  }
  /// Nobody will wait for it: one that is in order on the caller's stream is over.
  virtual void leave() noexcept {}
  /// Told once, when nobody holds it any more. `unseen` is an error that nobody has been told of; else null.
  virtual void released(const std::exception_ptr& unseen) noexcept = 0;

  /// A word that another rank changes when this operation can go on, if there is one such word.
  struct Watch {
    const std::atomic<std::uint64_t>* word = nullptr;
    std::uint64_t until = 0;  ///< the least value to wait for; it only grows
    /// Cache lines behind the word's that change just before it. Whoever looks at the word asks for them too, so that the
    /// processor fetches all at once.
    int lines = 0;
  };
  const Watch& watch() const noexcept { return watch_; }
  /// Changes when it has got any further since it was waited for: then the next wait is a new one.
  std::uint64_t progress() const noexcept { return progress_; }

  /// Does an `advance` cost more than a look at the clock, so that the clock is looked at after each?
  bool is_slow() const noexcept { return slow_; }

  bool finished() const noexcept { return finished_; }
  ProgressLoop& loop() const noexcept { return *loop_; }

 protected:
  explicit Operation(bool slow = false) : slow_(slow) {}
  /// Before each use.
  void start(ProgressLoop& loop, std::chrono::milliseconds timeout, FlightRecorder* recorder = nullptr,
             const FlightRecorder::Entry& entry = {}) {
    loop_ = &loop;
    recorder_ = recorder;
    entry_ = entry;
    timeout_ = timeout;
    deadline_.reset();
    if (failed_) [[unlikely]]
      error_ = nullptr;
    failed_ = false;
    finished_ = false;
    watch_ = {};
    progress_ = 0;
  }
  /// To be set by each `advance` that returns false.
  void set_watch(Watch watch) { watch_ = watch; }
  void set_progress(std::uint64_t progress) { progress_ = progress; }
  /// Its turn has come, after it had to wait for that.
  void note_start() noexcept {
    if (recorder_ != nullptr) recorder_->start(entry_);
  }

 private:
  friend class ProgressLoop;
  using Clock = std::chrono::steady_clock;

  void note_wait() noexcept {
    if (recorder_ != nullptr) recorder_->waits(entry_, waiting());
  }

  ProgressLoop* loop_ = nullptr;
  FlightRecorder* recorder_ = nullptr;  ///< null: nobody takes notes
  FlightRecorder::Entry entry_;
  std::chrono::milliseconds timeout_{};
  std::optional<Clock::time_point> deadline_;  ///< set at the first look at the clock: most calls never look
  Watch watch_;
  std::uint64_t progress_ = 0;
  std::exception_ptr error_;
  bool failed_ = false;  ///< there is an `error_`
  bool finished_ = true;
  bool slow_;
};

}  // namespace tutti
