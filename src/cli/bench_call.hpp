/// @file  A collective on this rank's buffers, as the benchmark repeats it; ours, and the interface of a peer's.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "cli/bench_collective.hpp"
#include "tutti/base/request.hpp"
#include "tutti/communicator.hpp"

namespace tutti::bench {

/// Everything that a call is, whoever runs it.
struct Call {
  Collective collective = Collective::barrier;
  DataType type = DataType::float32;
  Op op = Op::none;
  int root = 0;
  bool in_place = false;
  Extent extent{};
  std::byte* in = nullptr;   ///< [extent.in] elements
  std::byte* out = nullptr;  ///< [extent.out] elements
  Memory memory = Memory::host;

  std::size_t in_bytes() const { return extent.in * size_of(type); }
  std::size_t out_bytes() const { return extent.out * size_of(type); }
};

/// Runs one operation from beginning to end.
using Runner = std::function<void()>;

/// Whose collectives are measured beside ours.
class Peer {
 public:
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  virtual std::string name() const = 0;     ///< "mpi": its engine and its algorithm in the table
  virtual std::string version() const = 0;  ///< of the library, one line
  /// Why it cannot run this call, or an empty text.
  virtual std::string unsupported(const Call& call) const = 0;
  /// May move `call.out` to where its result in place lies. The call outlives the runner.
  virtual Runner runner(Call& call) = 0;

 protected:
  Peer() = default;
};

/// The request a call is; sendrecv's is its send.
Request request_of(const Call& call, int rank, int ranks, const Options& options);

/// The call by tutti. `communicator` and `call` outlive the runner.
Runner our_runner(Communicator& communicator, const Call& call, const Options& options);

}  // namespace tutti::bench
