/// @file  Calls for tests of metrics and traces, as a recorder would have noted them.
#pragma once

#include <cstdint>

#include "tutti/base/reduce_op.hpp"
#include "tutti/run/call_record.hpp"

namespace tutti::test {

/// An all_reduce of 1 MiB float32 on rank `rank` of two, entered at `entered` ns, that took 1 ms.
inline CallRecord some_call(std::uint64_t number, std::int64_t entered, int rank = 0) {
  CallRecord call;
  call.number = number;
  call.communicator = 0xc0ffee;
  call.rank = rank;
  call.size = 2;
  call.turn = number - 1;
  call.collective = Collective::all_reduce;
  call.type = DataType::float32;
  call.op = Op::sum;
  call.engine = Backend::host;
  call.algorithm = Algorithm::ring;
  call.protocol = Protocol::fifo;
  call.element_size = 4;
  call.count = std::uint64_t{1} << 18;
  call.state = CallState::done;
  call.entered = call.started = entered;
  call.ended = entered + 1'000'000;
  return call;
}

}  // namespace tutti::test
