/// @file  Network: what carries collectives between hosts, as a library such as MPI offers them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "tutti/base/reduce_op.hpp"
#include "tutti/base/request.hpp"

namespace tutti {

/// A call on its way through a network.
class Transfer {
 public:
  Transfer() = default;
  /// Of a transfer that is not finished: nobody waits for it any more. It cannot be called back, so the network may
  /// still read and write its buffers; those that `Network::start` was told to keep stay until then.
  virtual ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Moves on whatever can move, without blocking; true when it is finished. Throws Error: network with the library's
  /// own words, mismatch when the other side's message has another length. Not called again after either.
  virtual bool test() = 0;
};

/// Collectives on host memory among ranks that share none. What happens to a call is up to the library behind it.
///
/// As with communicators, all ranks start the same calls in the same order, but sends and receives, which go beside
/// them, in order for each peer and direction.
class Network {
 public:
  enum class Threads : std::uint8_t {
    one,            ///< only the thread that set the library up may use it
    one_at_a_time,  ///< any, but two never at once, whatever they use it for
    any,
  };

  Network() = default;
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  virtual std::string_view name() const noexcept = 0;  ///< "mpi"
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual Threads threads() const noexcept = 0;

  /// A network of its own for some of the ranks, in the order given; calls on it never meet calls on this one.
  /// Collective over these ranks only, and blocking. The caller is one of them. Throws Error(network).
  virtual std::shared_ptr<Network> subset(std::span<const int> ranks) = 0;

  /// Begins a valid request: one of this network's ranks as root or peer, shapes and the meaning of "in place" as in
  /// collectives.hpp, an operator other than average and premultiplied sum, whose first and last touches are the
  /// caller's. `loop` combines elements where the library cannot: the loop of the request's type and operator; null
  /// when it does not reduce. `kept` lives as long as anything is written or read for this call; it may own the
  /// buffers. The tables of counts are read before this returns.
  virtual std::unique_ptr<Transfer> start(const Request& request, ReduceOp::Loop loop, std::shared_ptr<void> kept) = 0;
};

}  // namespace tutti
