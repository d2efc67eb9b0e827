/// @file  Trouble: the failures of earlier calls, as later calls of the same communicator meet them.
#pragma once

#include <chrono>
#include <exception>
#include <string>

#include "tutti/base/error.hpp"

namespace tutti {

class Trouble {
 public:
  /// One is set: `rethrow` has something to throw. False for nearly every call.
  bool any() const { return any_; }

  /// After it, this rank can do nothing more. The first one counts.
  void poison(const std::exception_ptr& error) noexcept {
    if (poison_ == nullptr) poison_ = error;
    any_ = true;
  }
  /// The failure of a dropped call, for the next one to throw.
  void remember_unseen(const std::exception_ptr& error) noexcept {
    if (unseen_ == nullptr) unseen_ = error;
    any_ = true;
  }
  /// Throws what is there to be thrown.
  void rethrow(int rank);

 private:
  bool any_ = false;
  std::exception_ptr poison_;
  std::exception_ptr unseen_;
};

/// A call of rank `rank` that begins after `by` gave up. -1: nobody has, and nothing is thrown.
void throw_given_up(int by, int rank);

/// The same of a call that waits. `where` says which one.
[[noreturn]] void throw_peer_gave_up(int peer, Context where);

/// The same, when it was rank `rank` of a communicator that this one was split from that gave up.
[[noreturn]] void throw_gave_up_above(int rank, Context where);

/// The same, when `peer` has gone; `how` it has.
[[noreturn]] void throw_peer_lost(int peer, const std::string& how, Context where);

/// The peer whose loss this error tells of; -1: it is another.
int lost_in(const std::exception_ptr& error) noexcept;

/// The error of a wait that took too long. `peer`: -1 when it is not one alone.
std::exception_ptr late(const std::string& awaited, int peer, std::chrono::milliseconds timeout, Context where);

}  // namespace tutti
