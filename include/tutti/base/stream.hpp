/// @file  Stream: a CUDA stream as a value, for headers and programs that know nothing of CUDA.
#pragma once

struct CUstream_st;  // what a cudaStream_t points to

namespace tutti {

/// The caller's stream: tutti never makes or destroys one of these. A null handle is the default stream.
struct Stream {
  CUstream_st* handle = nullptr;

  constexpr Stream() = default;
  constexpr Stream(CUstream_st* stream) : handle(stream) {}  // a cudaStream_t is one
  bool operator==(const Stream&) const = default;
};

}  // namespace tutti
