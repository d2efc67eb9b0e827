/// @file  What goes wrong, and what the library says of it: a wrong call, a rank that does not come, calls that differ.
#include <chrono>
#include <cstdio>
#include <latch>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace {

using namespace std::chrono_literals;

/// A wrong call is refused at once, on the rank that makes it, and changes nothing.
bool wrong_call(tutti::Communicator& comm) {
  std::vector<float> values(10);
  // [misuse]
  try {
    broadcast(comm, tutti::on_host(values), 7);  // there is no rank 7
  } catch (const tutti::Error& error) {
    std::printf("%s\n", error.what());  // place, value and remedy, in one line
    return error.code() == tutti::Code::invalid_argument;
  }
  // [misuse]
  return false;
}

/// A rank that does not come ends the others' calls at their timeout.
bool missing_rank(tutti::Communicator& comm, std::latch& enough) {
  if (comm.rank() == 1) {
    enough.wait();
    return true;
  }
  std::vector<float> values(10);
  // [timeout]
  try {
    all_reduce(comm, tutti::on_host(values), tutti::sum, {.timeout = 50ms}).wait();
  } catch (const tutti::Error& error) {
    if (error.code() != tutti::Code::timeout) throw;
    std::printf("rank %d gave up waiting for rank %d\n", error.context().rank, error.context().peer);
    // The communicator cannot be used any more: its ranks may be at different calls. Save the work, and end or start anew.
  }
  // [timeout]
  enough.count_down();
  return true;
}

/// With Config::check_across_ranks the ranks compare their calls first: what does not match is an error on all of them.
bool different_calls(tutti::Communicator& comm) {
  std::vector<float> values(10);
  try {
    if (comm.rank() == 0) {
      all_reduce(comm, tutti::on_host(values), tutti::sum).wait();
    } else {
      broadcast(comm, tutti::on_host(values), 0).wait();
    }
  } catch (const tutti::Error& error) {
    if (comm.rank() == 0) std::printf("%s\n", error.what());
    barrier(comm).wait();  // it goes on: nothing had begun
    return error.code() == tutti::Code::mismatch;
  }
  return false;
}

}  // namespace

int main() {
  bool right = true;
  tutti::in_process(1, [&](tutti::Communicator& comm) { right = wrong_call(comm) && right; });

  std::latch enough{1};
  tutti::in_process(2, [&](tutti::Communicator& comm) {
    const bool mine = missing_rank(comm, enough);
    if (comm.rank() == 0) right = mine && right;
  });

  // [check]
  const tutti::Config careful{.timeout = 10s, .check_across_ranks = true};  // or TUTTI_CHECK_ACROSS_RANKS=1
  // [check]
  tutti::in_process(
      2,
      [&](tutti::Communicator& comm) {
        const bool mine = different_calls(comm);
        if (comm.rank() == 0) right = mine && right;
      },
      careful);
  return right ? 0 : 1;
}
