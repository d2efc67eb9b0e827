/// @file  NCCL's C interface as far as tutti uses it, declared here so that no build needs its header. Names, numbers and
/// layouts are those of NCCL 2.9.9 to 2.28.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "tutti/base/stream.hpp"

struct ncclComm;
struct ncclWindow_vidmem;

namespace tutti::nccl {

using Comm = ncclComm*;
using Window = ncclWindow_vidmem*;

struct UniqueId {
  char bytes[128];
};

/// ncclResult_t
enum Result : int {
  success = 0,
  unhandled_cuda_error = 1,
  system_error = 2,
  internal_error = 3,
  invalid_argument = 4,
  invalid_usage = 5,
  remote_error = 6,
  in_progress = 7,
};

/// ncclDataType_t
enum Type : int {
  type_int8 = 0,
  type_uint8 = 1,
  type_int32 = 2,
  type_uint32 = 3,
  type_int64 = 4,
  type_uint64 = 5,
  type_float16 = 6,
  type_float32 = 7,
  type_float64 = 8,
  type_bfloat16 = 9,      // since 2.10
  type_float8_e4m3 = 10,  // since 2.24
  type_float8_e5m2 = 11,  // since 2.24
};

/// ncclRedOp_t; operators that are made have other numbers.
enum Operator : int { op_sum = 0, op_product = 1, op_maximum = 2, op_minimum = 3, op_average = 4 /* since 2.10 */ };

/// ncclConfig_t of 2.28. Earlier ones are its beginnings: `size` says how much is there.
struct Config {
  std::size_t size = 0;
  unsigned magic = 0xcafebeef;
  unsigned version = 0;
  int blocking = INT_MIN;  // since 2.14
  int cga_cluster = INT_MIN;
  int min_ctas = INT_MIN;
  int max_ctas = INT_MIN;
  const char* network = nullptr;  // so far since 2.17
  int split_share = INT_MIN;      // since 2.18
  int traffic_class = INT_MIN;    // since 2.26
  const char* name = nullptr;
  int collnet = INT_MIN;
  int cta_policy = INT_MIN;
  int shrink_share = INT_MIN;
  int nvls_ctas = INT_MIN;              // so far since 2.27
  int channels_per_net_peer = INT_MIN;  // since 2.28
  int nvlink_centric = INT_MIN;
};
static_assert(offsetof(Config, network) == 32 && offsetof(Config, name) == 48 && sizeof(Config) == 80);

/// Every function of NCCL that is called. Null: this library does not have it.
struct Calls {
  Result (*GetVersion)(int*) = nullptr;
  const char* (*GetErrorString)(Result) = nullptr;
  const char* (*GetLastError)(Comm) = nullptr;  // since 2.13
  Result (*GetUniqueId)(UniqueId*) = nullptr;
  Result (*CommInitRank)(Comm*, int, UniqueId, int) = nullptr;
  Result (*CommInitRankConfig)(Comm*, int, UniqueId, int, Config*) = nullptr;  // since 2.14
  Result (*CommFinalize)(Comm) = nullptr;                                      // since 2.14
  Result (*CommDestroy)(Comm) = nullptr;
  Result (*CommAbort)(Comm) = nullptr;
  Result (*CommSplit)(Comm, int, int, Comm*, Config*) = nullptr;         // since 2.18
  Result (*CommShrink)(Comm, int*, int, Comm*, Config*, int) = nullptr;  // since 2.27
  Result (*CommGetAsyncError)(Comm, Result*) = nullptr;
  Result (*CommCount)(Comm, int*) = nullptr;
  Result (*CommUserRank)(Comm, int*) = nullptr;
  Result (*CommRegister)(Comm, void*, std::size_t, void**) = nullptr;              // since 2.19
  Result (*CommDeregister)(Comm, void*) = nullptr;                                 // since 2.19
  Result (*CommWindowRegister)(Comm, void*, std::size_t, Window*, int) = nullptr;  // since 2.27
  Result (*CommWindowDeregister)(Comm, Window) = nullptr;                          // since 2.27
  Result (*MemAlloc)(void**, std::size_t) = nullptr;                               // since 2.19
  Result (*MemFree)(void*) = nullptr;                                              // since 2.19
  Result (*RedOpCreatePreMulSum)(int*, void*, Type, int, Comm) = nullptr;          // since 2.11
  Result (*RedOpDestroy)(int, Comm) = nullptr;                                     // since 2.11
  Result (*AllReduce)(const void*, void*, std::size_t, Type, int, Comm, CUstream_st*) = nullptr;
  Result (*Reduce)(const void*, void*, std::size_t, Type, int, int, Comm, CUstream_st*) = nullptr;
  Result (*ReduceScatter)(const void*, void*, std::size_t, Type, int, Comm, CUstream_st*) = nullptr;
  Result (*AllGather)(const void*, void*, std::size_t, Type, Comm, CUstream_st*) = nullptr;
  Result (*Broadcast)(const void*, void*, std::size_t, Type, int, Comm, CUstream_st*) = nullptr;
  Result (*Send)(const void*, std::size_t, Type, int, Comm, CUstream_st*) = nullptr;
  Result (*Recv)(void*, std::size_t, Type, int, Comm, CUstream_st*) = nullptr;
  Result (*AlltoAll)(const void*, void*, std::size_t, Type, Comm, CUstream_st*) = nullptr;      // since 2.28
  Result (*Gather)(const void*, void*, std::size_t, Type, int, Comm, CUstream_st*) = nullptr;   // since 2.28
  Result (*Scatter)(const void*, void*, std::size_t, Type, int, Comm, CUstream_st*) = nullptr;  // since 2.28
  Result (*GroupStart)() = nullptr;
  Result (*GroupEnd)() = nullptr;
};

}  // namespace tutti::nccl
