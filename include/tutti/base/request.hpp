/// @file  Request: one call as a value. Who receives it decides what happens: run, record, explain.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tutti/base/reduce_op.hpp"
#include "tutti/base/stream.hpp"
#include "tutti/base/types.hpp"

namespace tutti {

/// Every default is safe; name only what you mean to change: `{.algorithm = Algorithm::tree}`.
/// Except for `timeout` and `stream`, all ranks must give the same values.
struct Options {
  Algorithm algorithm = Algorithm::automatic;  ///< automatic: the cheapest
  Protocol protocol = Protocol::automatic;
  Backend backend = Backend::automatic;
  bool deterministic = false;  ///< the result is bitwise a function of inputs and rank count only
  /// Device memory only: the call takes its place in this stream; none: in one of tutti's own, in order with the default
  /// stream.
  std::optional<Stream> stream{};
  std::chrono::milliseconds timeout{-1};  ///< of this call; negative: the communicator's; zero is refused
};

/// One collective call, type-erased. Buffers and count tables belong to the caller, until the work is done.
struct Request {
  Collective collective = Collective::barrier;
  DataType type = DataType::uint8;
  Memory memory = Memory::host;
  std::size_t element_size = 1;  ///< bytes
  const void* in = nullptr;      ///< see collectives.hpp for the shapes of in and out
  void* out = nullptr;
  std::size_t in_count = 0;  ///< elements that the caller's buffer has
  std::size_t out_count = 0;
  std::size_t count = 0;  ///< elements: of the smaller side (one rank's part) where the sides differ
  int root = 0;           ///< rooted collectives; for send and recv the peer
  ReduceOp op{};
  std::span<const std::size_t> counts{};          ///< [size] uneven collectives: elements of each rank's part
  std::span<const std::size_t> receive_counts{};  ///< [size] all_to_all_v: elements from each rank (counts: to each)
  Options options{};
};

/// "all_reduce of 4 MiB float32": how a call is named in errors and records.
std::string describe(const Request& request);

}  // namespace tutti
