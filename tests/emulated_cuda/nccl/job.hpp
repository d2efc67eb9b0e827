/// @file  Job: calls of one communicator that go into a stream together, and how they are carried out.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::emulated_nccl {

enum class Kind : int {
  all_reduce,
  reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  all_to_all,
  gather,
  scatter,
  send,
  recv
};
const char* name_of(Kind kind);

/// A premultiplied sum's scale travels with the call.
struct Reduction {
  ncclRedOp_t op = ncclSum;
  bool scaled = false;
  unsigned char scale[8] = {};
};

struct Call {
  Kind kind = Kind::all_reduce;
  const void* in = nullptr;
  void* out = nullptr;
  std::size_t count = 0;  ///< elements of one rank's part
  ncclDataType_t type = ncclInt8;
  Reduction reduction{};
  int root = 0;  ///< or peer
};

struct Job {
  ncclComm* communicator = nullptr;
  std::vector<Call> calls;
  long turn = -1;  ///< among the jobs of the communicator; -1: part of a graph
};

/// On the stream's thread. Ends early when the communicator is aborted or the ranks' calls do not match.
void carry_out(const Job& job);

std::size_t size_of(ncclDataType_t type);

/// out[i] = the parts' i-th elements combined, as a ring does: beginning at another rank in each chunk, rounded at
/// each step.
void combine(void* out, const std::vector<const char*>& parts, std::size_t count, ncclDataType_t type,
             const std::vector<Reduction>& reductions);

}  // namespace tutti::emulated_nccl
