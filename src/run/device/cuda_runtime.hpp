/// @file  CudaRuntime: the few calls of the CUDA runtime that engines need, from the library that is found at run time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tutti/base/error.hpp"
#include "tutti/base/stream.hpp"

struct CUevent_st;

namespace tutti::device {

/// cudaIpcMemHandle_t and dim3, as the runtime has them.
struct IpcHandle {
  char bytes[64];
};
struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

/// The functions by their own names, as CUDA 11 to 13 have them. Results are cudaError_t; 0 is success.
struct CudaCalls {
  int (*cudaDriverGetVersion)(int*) = nullptr;
  int (*cudaGetDeviceCount)(int*) = nullptr;
  int (*cudaGetDevice)(int*) = nullptr;
  int (*cudaSetDevice)(int) = nullptr;
  int (*cudaStreamCreateWithFlags)(CUstream_st**, unsigned) = nullptr;
  int (*cudaStreamDestroy)(CUstream_st*) = nullptr;
  int (*cudaStreamSynchronize)(CUstream_st*) = nullptr;
  int (*cudaStreamWaitEvent)(CUstream_st*, CUevent_st*, unsigned) = nullptr;
  int (*cudaStreamIsCapturing)(CUstream_st*, int*) = nullptr;
  int (*cudaEventCreateWithFlags)(CUevent_st**, unsigned) = nullptr;
  int (*cudaEventDestroy)(CUevent_st*) = nullptr;
  int (*cudaEventRecord)(CUevent_st*, CUstream_st*) = nullptr;
  int (*cudaEventQuery)(CUevent_st*) = nullptr;
  int (*cudaMalloc)(void**, std::size_t) = nullptr;
  int (*cudaFree)(void*) = nullptr;
  int (*cudaMallocAsync)(void**, std::size_t, CUstream_st*) = nullptr;
  int (*cudaFreeAsync)(void*, CUstream_st*) = nullptr;
  int (*cudaMemcpyAsync)(void*, const void*, std::size_t, int, CUstream_st*) = nullptr;
  int (*cudaMemsetAsync)(void*, int, std::size_t, CUstream_st*) = nullptr;
  int (*cudaRuntimeGetVersion)(int*) = nullptr;
  int (*cudaDeviceGetAttribute)(int*, int, int) = nullptr;
  int (*cudaDeviceGetPCIBusId)(char*, int, int) = nullptr;
  int (*cudaDeviceCanAccessPeer)(int*, int, int) = nullptr;
  int (*cudaDeviceEnablePeerAccess)(int, unsigned) = nullptr;
  int (*cudaIpcGetMemHandle)(IpcHandle*, void*) = nullptr;
  int (*cudaIpcOpenMemHandle)(void**, IpcHandle, unsigned) = nullptr;
  int (*cudaIpcCloseMemHandle)(void*) = nullptr;
  int (*cudaHostAlloc)(void**, std::size_t, unsigned) = nullptr;
  int (*cudaHostGetDevicePointer)(void**, void*, unsigned) = nullptr;
  int (*cudaFreeHost)(void*) = nullptr;
  int (*cudaFuncGetAttributes)(void*, const void*) = nullptr;
  int (*cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int*, const void*, int, std::size_t,
                                                                unsigned) = nullptr;
  int (*cudaLaunchKernel)(const void*, Dim3, Dim3, void**, std::size_t, CUstream_st*) = nullptr;
  int (*cudaLaunchCooperativeKernel)(const void*, Dim3, Dim3, void**, std::size_t, CUstream_st*) = nullptr;
  int (*cudaGetLastError)() = nullptr;
  const char* (*cudaGetErrorString)(int) = nullptr;
  const char* (*cudaGetErrorName)(int) = nullptr;
};
inline constexpr int cuda_not_ready = 600;
inline constexpr int cuda_memcpy_default = 4;

/// The same for the whole process.
struct CudaRuntime {
  CudaCalls calls{};
  int devices = 0;
  std::string trouble{};  ///< why there is none that can be used; empty: there is
  std::string remedy{};
};

/// Loads libcudart.so.13, .12 or .11.0 when first asked, or takes the one that the program has. Never throws.
const CudaRuntime& cuda_runtime();

/// Throws resource for a failed call, naming it, what CUDA says of it, and what to do.
void check(int error, const char* call, const Context& context = {});

/// Makes a device the thread's current one, and the one before that afterwards.
class OnDevice {
 public:
  explicit OnDevice(int device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// A stream of a device, ordered with the default stream, as a program that knows of no streams expects.
class OwnStream {
 public:
  explicit OwnStream(int device);
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  Stream stream() const { return stream_; }

 private:
  int device_;
  CUstream_st* stream_ = nullptr;
};

/// A place in a stream, to be recorded again and again.
class Event {
 public:
  explicit Event(int device);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(Stream stream);
  /// Has the stream come so far? Throws what CUDA says has gone wrong on the device.
  bool reached(const Context& context) const;
  /// The stream waits for it; the caller does not.
  void before(Stream stream) const;

 private:
  int device_;
  CUevent_st* event_ = nullptr;
};

/// Is what is put into the stream recorded into a graph instead of carried out?
bool is_capturing(Stream stream);

}  // namespace tutti::device
