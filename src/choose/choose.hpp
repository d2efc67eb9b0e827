/// @file  decide: from a request and facts that are equal on all ranks, the decision. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "tutti/base/request.hpp"
#include "tutti/choose/decision.hpp"
#include "tutti/choose/tuning.hpp"

namespace tutti {

/// Which engines there are for device memory, on every rank.
struct DeviceFacts {
  bool known = false;            ///< the ranks have looked
  int nccl_version = 0;          ///< 22809; the same on all ranks; 0: they cannot use it
  std::string no_nccl{};         ///< why not
  std::size_t packet_bytes = 0;  ///< tutti's kernels: payload of one packet; 0: the ranks cannot use them
  std::size_t fifo_bytes = 0;    ///< of one slot
  std::string no_cuda{};         ///< why not
  std::string remedy{};          ///< where there is neither

  void forget_kernels(std::string why) {
    packet_bytes = fifo_bytes = 0;
    no_cuda = std::move(why);
  }
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

/// For buffers in device memory: tutti's kernels or NCCL (docs/choice.md).
Decision decide_on_device(const Request& request, const Facts& facts);

/// The pattern that options name, else `cheapest`, else one that a wish for an order of ranks allows. Throws unsupported when the
/// named one cannot run the request.
Algorithm settled_algorithm(const Request& request, int ranks, Algorithm cheapest);

/// Throws unsupported unless a message can hold an element of each block that one of its steps moves.
void expect_room(const Request& request, int ranks, Algorithm algorithm, std::size_t capacity);

/// Bytes by which sizes are compared, of what one rank contributes or receives. Only facts equal on all ranks: the counts of
/// all_to_all_v are not, so it is a large one.
std::size_t comparable_bytes(const Request& request);

/// Throws unsupported for a request that options name no way for.
[[noreturn]] void refuse(const Request& request, const std::string& why, const char* remedy);

/// For ranks of several hosts: two levels where the collective has such a form, else MPI's own call.
Decision decide_between_hosts(const Request& request, const Facts& facts);

}  // namespace tutti
