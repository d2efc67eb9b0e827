/// @file  nccl*: the collectives, groups, and operators that are made.
#include <cstring>

#include "emulated_cuda/nccl/communicator.hpp"
#include "emulated_cuda/nccl/group.hpp"

using namespace tutti::emulated_nccl;

namespace {

/// Operators that are made are numbered from here, in each communicator.
constexpr int first_made = 1000;

ncclResult_t expect_type(ncclDataType_t type) {
  if (type == ncclBfloat16) return expect_version(21000, "bfloat16");
  if (type == ncclFloat8e4m3 || type == ncclFloat8e5m2) return expect_version(22400, "float8");
  return ncclSuccess;
}

ncclResult_t reduction_of(ncclComm_t c, ncclRedOp_t op, ncclDataType_t type, Reduction& reduction) {
  if (const ncclResult_t old = expect_type(type)) return old;
  if (op == ncclAvg) {
    if (const ncclResult_t old = expect_version(21000, "ncclAvg")) return old;
  }
  reduction.op = op;
  if (static_cast<int>(op) < first_made) return ncclSuccess;
  if (c == nullptr) return ncclSuccess;  // the call itself will say so
  const std::size_t index = static_cast<std::size_t>(op) - first_made;
  if (index >= c->made_operators.size() || c->made_operators[index] == nullptr) {
    return fail(ncclInvalidArgument, "an operator that is not one of this communicator");
  }
  reduction = *c->made_operators[index];
  return ncclSuccess;
}

}  // namespace

#define TUTTI_NCCL_API extern "C" __attribute__((visibility("default")))
#define TUTTI_NCCL_SINCE(number, name) \
  if (const ncclResult_t old_ = expect_version(number, name)) return old_

TUTTI_NCCL_API ncclResult_t ncclGroupStart() { return group_start(); }
TUTTI_NCCL_API ncclResult_t ncclGroupEnd() { return group_end(); }

TUTTI_NCCL_API ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scale, ncclDataType_t type,
                                                     ncclScalarResidence_t, ncclComm_t c) {
  TUTTI_NCCL_SINCE(21100, "ncclRedOpCreatePreMulSum");
  if (const ncclResult_t unusable = expect_usable(c, "RedOpCreatePreMulSum")) return unusable;
  auto made = std::make_unique<Reduction>();
  made->scaled = true;
  std::memcpy(made->scale, scale, tutti::emulated_nccl::size_of(type));
  c->made_operators.push_back(std::move(made));
  *op = static_cast<ncclRedOp_t>(first_made + c->made_operators.size() - 1);
  return ncclSuccess;
}
TUTTI_NCCL_API ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t c) {
  const std::size_t index = static_cast<std::size_t>(op) - first_made;
  if (static_cast<int>(op) < first_made || index >= c->made_operators.size()) {
    return fail(ncclInvalidArgument, "not an operator that was made");
  }
  c->made_operators[index] = nullptr;
  return ncclSuccess;
}

TUTTI_NCCL_API ncclResult_t ncclAllReduce(const void* in, void* out, size_t count, ncclDataType_t type, ncclRedOp_t op,
                                          ncclComm_t c, cudaStream_t stream) {
  Reduction reduction;
  if (const ncclResult_t wrong = reduction_of(c, op, type, reduction)) return wrong;
  return say(c, {Kind::all_reduce, in, out, count, type, reduction}, stream);
}
TUTTI_NCCL_API ncclResult_t ncclReduce(const void* in, void* out, size_t count, ncclDataType_t type, ncclRedOp_t op,
                                       int root, ncclComm_t c, cudaStream_t stream) {
  Reduction reduction;
  if (const ncclResult_t wrong = reduction_of(c, op, type, reduction)) return wrong;
  return say(c, {Kind::reduce, in, c != nullptr && c->rank == root ? out : nullptr, count, type, reduction, root},
             stream);
}
TUTTI_NCCL_API ncclResult_t ncclReduceScatter(const void* in, void* out, size_t count, ncclDataType_t type,
                                              ncclRedOp_t op, ncclComm_t c, cudaStream_t stream) {
  Reduction reduction;
  if (const ncclResult_t wrong = reduction_of(c, op, type, reduction)) return wrong;
  return say(c, {Kind::reduce_scatter, in, out, count, type, reduction}, stream);
}
TUTTI_NCCL_API ncclResult_t ncclAllGather(const void* in, void* out, size_t count, ncclDataType_t type, ncclComm_t c,
                                          cudaStream_t stream) {
  return say(c, {Kind::all_gather, in, out, count, type}, stream);
}
TUTTI_NCCL_API ncclResult_t ncclBroadcast(const void* in, void* out, size_t count, ncclDataType_t type, int root,
                                          ncclComm_t c, cudaStream_t stream) {
  return say(c, {Kind::broadcast, in, out, count, type, {}, root}, stream);
}
TUTTI_NCCL_API ncclResult_t ncclSend(const void* in, size_t count, ncclDataType_t type, int peer, ncclComm_t c,
                                     cudaStream_t stream) {
  return say(c, {Kind::send, in, nullptr, count, type, {}, peer}, stream);
}
TUTTI_NCCL_API ncclResult_t ncclRecv(void* out, size_t count, ncclDataType_t type, int peer, ncclComm_t c,
                                     cudaStream_t stream) {
  return say(c, {Kind::recv, nullptr, out, count, type, {}, peer}, stream);
}
TUTTI_NCCL_API ncclResult_t ncclAlltoAll(const void* in, void* out, size_t count, ncclDataType_t type, ncclComm_t c,
                                         cudaStream_t stream) {
  TUTTI_NCCL_SINCE(22800, "ncclAlltoAll");
  if (in == out && count > 0) return fail(ncclInvalidArgument, "AlltoAll : not in place");
  return say(c, {Kind::all_to_all, in, out, count, type}, stream);
}
TUTTI_NCCL_API ncclResult_t ncclGather(const void* in, void* out, size_t count, ncclDataType_t type, int root,
                                       ncclComm_t c, cudaStream_t stream) {
  TUTTI_NCCL_SINCE(22800, "ncclGather");
  return say(c, {Kind::gather, in, out, count, type, {}, root}, stream);
}
TUTTI_NCCL_API ncclResult_t ncclScatter(const void* in, void* out, size_t count, ncclDataType_t type, int root,
                                        ncclComm_t c, cudaStream_t stream) {
  TUTTI_NCCL_SINCE(22800, "ncclScatter");
  return say(c, {Kind::scatter, in, out, count, type, {}, root}, stream);
}
