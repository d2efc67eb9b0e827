#include "run/trouble.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tutti {

void Trouble::rethrow(int rank) {
  any_ = poison_ != nullptr;
  if (unseen_ != nullptr) std::rethrow_exception(std::exchange(unseen_, nullptr));
  if (poison_ == nullptr) return;
  try {
    std::rethrow_exception(poison_);
  } catch (const std::exception& error) {
    throw Error(Code::aborted, std::string("an earlier call of this communicator failed: ") + error.what(),
                {.rank = rank, .remedy = "make a new communicator from a new World, or shrink this one"});
  }
}

void throw_given_up(int by, int rank) {
  if (by < 0) return;
  throw Error(
      Code::aborted, fmt::format("rank {} gave up this communicator", by),
      {.rank = rank,
       .remedy = "look for that rank's own error, and make a new communicator from a new World, or shrink this one"});
}

void throw_peer_gave_up(int peer, Context where) {
  where.peer = peer;
  where.remedy = "look for that rank's own error; the communicator cannot be used any more";
  throw Error(Code::aborted, "it gave up", where);
}

void throw_gave_up_above(int rank, Context where) {
  where.remedy = "look for that rank's own error; the communicator cannot be used any more";
  throw Error(Code::aborted, fmt::format("rank {} of a communicator that this one was split from gave up", rank),
              where);
}

void throw_peer_lost(int peer, const std::string& how, Context where) {
  where.peer = peer;
  where.remedy =
      "look at how that rank ended; the communicator cannot be used any more, the others go on after shrink()";
  throw Error(Code::peer_lost, how, where);
}

int lost_in(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return known.code() == Code::peer_lost ? known.context().peer : -1;
  } catch (...) {
    return -1;
  }
}

std::exception_ptr late(const std::string& awaited, int peer, std::chrono::milliseconds timeout, Context where) {
  if (peer >= 0) where.peer = peer;
  where.remedy = "look at what that rank is doing, or allow more time (Options::timeout, TUTTI_CALL_TIMEOUT)";
  return std::make_exception_ptr(
      Error(Code::timeout, fmt::format("{} did not come within {} ms", awaited, timeout.count()), where));
}

}  // namespace tutti
