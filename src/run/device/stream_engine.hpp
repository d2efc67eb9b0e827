/// @file  StreamEngine: what engines have in common whose calls go through streams of a device.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "run/device/cuda_runtime.hpp"
#include "run/engine.hpp"
#include "run/progress_loop.hpp"
#include "run/trouble.hpp"

namespace tutti::device {

class StreamOperation;

/// Calls are put into their streams in the order they are submitted, which must be the same on all ranks; streams, not
/// the engine, make them wait for one another.
class StreamEngine : public Engine {
 public:
  struct Settings {
    const char* name = "";
    int rank = 0;
    int ranks = 1;
    int device = 0;
    std::chrono::milliseconds timeout{};
    std::function<void()> give_up{};      ///< tells the other ranks; never throws
    std::function<void(Context)> look{};  ///< throws when another rank has given up or is gone
  };
  ~StreamEngine() override;

  Operation& run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) final;
  void group_begins() final { grouping_ = true; }
  void group_ends() final;
  void abort() noexcept final { settings_.give_up(); }

 protected:
  StreamEngine(ProgressLoop& loop, Settings settings);

  /// Puts calls into their streams, which must not wait for one another. Throws what went wrong.
  virtual void put(std::span<StreamOperation* const> operations) = 0;
  /// Has what is in the streams been ended before its time?
  virtual bool given_up() const = 0;
  /// Ends it on this rank. May be called again.
  virtual void give_up() noexcept = 0;
  /// Throws what has gone wrong so far with a call that is in its stream.
  virtual void expect_sound(const StreamOperation&) const {}
  /// Throws when a call whose stream has come past it came to nothing.
  virtual void expect_done(const StreamOperation&) const {}
  /// Calls that may be in progress at once.
  virtual std::size_t most_in_progress() const { return std::numeric_limits<std::size_t>::max(); }

  const Settings& settings() const { return settings_; }
  bool in_trouble() const { return trouble_.any(); }

 private:
  friend class StreamOperation;

  StreamOperation& take(const Context& context);
  void wait_for_one_that_left(const Context& context);
  void failed(const std::exception_ptr& error) noexcept;
  void forget_those_who_left();

  ProgressLoop& loop_;
  Settings settings_;
  OwnStream own_stream_;
  Trouble trouble_;
  bool grouping_ = false;
  std::vector<StreamOperation*> grouped_;
  std::vector<std::unique_ptr<StreamOperation>> operations_;
  std::vector<StreamOperation*> idle_;
  std::vector<StreamOperation*> left_;  ///< nobody waits for them, but their streams have not come so far yet
};

}  // namespace tutti::device
