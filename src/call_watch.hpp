/// @file  CallWatch: what watches the calls of a communicator and of those made from it: metrics, trace, NVTX.
#pragma once

#include <memory>

#include "tutti/run/call_record.hpp"

namespace tutti {

class Communicator;
struct CommunicatorState;

/// All of it reads the flight recorder's records. Goes before the recorder does.
class CallWatch {
 public:
  virtual ~CallWatch() = default;
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

 protected:
  CallWatch() = default;
};

/// Collective, when Config::trace is set. Null when nothing is to watch. Throws invalid_argument for settings that make
/// no sense, resource for a port that is taken or a folder that cannot be written, unsupported without libmicrohttpd.
std::shared_ptr<CallWatch> watch_calls(Communicator& comm, CommunicatorState& state);

}  // namespace tutti
