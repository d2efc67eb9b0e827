/// @file  decide: from a request and facts that are equal on all ranks, the decision. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "tutti/base/request.hpp"
#include "tutti/choose/decision.hpp"
#include "tutti/choose/tuning.hpp"

namespace tutti {

/// Which engines there are for device memory, on every rank.
struct DeviceFacts {
  bool known = false;    ///< the ranks have looked
  int nccl_version = 0;  ///< 22809; the oldest of any rank
};

/// What a choice may depend on. Every field has the same value on every rank of the communicator; that is why
/// a call needs no negotiation.
struct Facts {
  int ranks = 1;
  int hosts = 1;
  bool one_process = false;        ///< every rank can reach every buffer
  bool has_segments = false;       ///< comm.allocate has been called: buffers may be reachable
  bool oversubscribed = false;     ///< some host has more ranks than processors
  bool even = true;                ///< every host has the same number of ranks
  bool consecutive = true;         ///< the ranks of every host are neighbours
  std::size_t packet_bytes = 0;    ///< payload of one packet slot
  std::size_t fifo_bytes = 0;      ///< payload of one fifo slot
  const Tuning* tuning = nullptr;  ///< what was measured on this machine, equal on all ranks; null: nothing
  DeviceFacts device{};
};

/// The cheapest way, by what was measured for such calls, else by the host engine's crossovers (docs/choice.md); or the
/// one that options name. Throws unsupported, saying why, when the named way cannot run this request. For ranks of several hosts it is
/// decide_between_hosts.
Decision decide(const Request& request, const Facts& facts);

/// The same call when it turned out that not every rank's buffer can be reached.
Decision decide_without_window(const Request& request, const Facts& facts);

/// For buffers in device memory. docs/nccl.md says what NCCL can.
Decision decide_on_device(const Request& request, const Facts& facts);

/// Throws unsupported for a request that options name no way for.
[[noreturn]] void refuse(const Request& request, const std::string& why, const char* remedy);

/// For ranks of several hosts: two levels where the collective has such a form, else MPI's own call.
Decision decide_between_hosts(const Request& request, const Facts& facts);

}  // namespace tutti
