#include "run/device/cuda_runtime.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tutti::device {

namespace {

constexpr unsigned event_disable_timing = 2;

template <class Function>
bool take(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// One that the program has loaded comes first: two of them would not know one another's streams by number alone.
void* open_runtime() {
  constexpr const char* names[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
  for (const int more : {RTLD_NOLOAD, 0}) {
    for (const char* name : names) {
      if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | more)) return library;
    }
  }
  return nullptr;
}

/// What a first call says about driver and devices (docs/nccl.md lists the cases).
void diagnose(CudaRuntime& runtime) {
  int driver = 0;
  runtime.calls.cudaDriverGetVersion(&driver);
  const int error = runtime.calls.cudaGetDeviceCount(&runtime.devices);
  if (error == 0 && runtime.devices > 0) return;
  runtime.devices = 0;
  if (driver == 0 && error != 34) {
    runtime.trouble = "there is no NVIDIA driver (no libcuda.so.1 was found)";
    runtime.remedy = "run on a machine with an NVIDIA GPU and its driver, or use buffers in host memory";
  } else if (error == 34) {
    runtime.trouble = "the CUDA driver that was found is the toolkit's stub library";
    runtime.remedy = "take the folder with stubs out of LD_LIBRARY_PATH; the driver brings the real libcuda.so.1";
  } else if (error == 35) {
    runtime.trouble =
        fmt::format("the NVIDIA driver, made for CUDA {}.{}, is older than the CUDA runtime that was found",
                    driver / 1000, driver % 1000 / 10);
    runtime.remedy = "install a newer driver, or an older CUDA runtime";
  } else if (error == 100 || error == 0) {
    runtime.trouble = "the NVIDIA driver is there, but no device is visible";
    runtime.remedy = "look at nvidia-smi, and at CUDA_VISIBLE_DEVICES";
  } else {
    runtime.trouble = fmt::format("CUDA does not start: {} ({})", runtime.calls.cudaGetErrorString(error),
                                  runtime.calls.cudaGetErrorName(error));
    runtime.remedy = "look at nvidia-smi; error 802 needs the fabric manager";
  }
}

CudaRuntime load() {
  CudaRuntime runtime;
  void* library = open_runtime();
  if (library == nullptr) {
    runtime.trouble = "there is no CUDA runtime (libcudart.so.13, .12 or .11.0)";
    runtime.remedy = "install CUDA's runtime library, or name its folder in LD_LIBRARY_PATH";
    return runtime;
  }
  CudaCalls& c = runtime.calls;
  const bool all =
      take(library, "cudaDriverGetVersion", c.cudaDriverGetVersion) &&
      take(library, "cudaGetDeviceCount", c.cudaGetDeviceCount) && take(library, "cudaGetDevice", c.cudaGetDevice) &&
      take(library, "cudaSetDevice", c.cudaSetDevice) &&
      take(library, "cudaStreamCreateWithFlags", c.cudaStreamCreateWithFlags) &&
      take(library, "cudaStreamDestroy", c.cudaStreamDestroy) &&
      take(library, "cudaStreamSynchronize", c.cudaStreamSynchronize) &&
      take(library, "cudaStreamWaitEvent", c.cudaStreamWaitEvent) &&
      take(library, "cudaStreamIsCapturing", c.cudaStreamIsCapturing) &&
      take(library, "cudaEventCreateWithFlags", c.cudaEventCreateWithFlags) &&
      take(library, "cudaEventDestroy", c.cudaEventDestroy) && take(library, "cudaEventRecord", c.cudaEventRecord) &&
      take(library, "cudaEventQuery", c.cudaEventQuery) && take(library, "cudaMalloc", c.cudaMalloc) &&
      take(library, "cudaFree", c.cudaFree) && take(library, "cudaMallocAsync", c.cudaMallocAsync) &&
      take(library, "cudaFreeAsync", c.cudaFreeAsync) && take(library, "cudaMemcpyAsync", c.cudaMemcpyAsync) &&
      take(library, "cudaMemsetAsync", c.cudaMemsetAsync) &&
      take(library, "cudaRuntimeGetVersion", c.cudaRuntimeGetVersion) &&
      take(library, "cudaDeviceGetAttribute", c.cudaDeviceGetAttribute) &&
      take(library, "cudaDeviceGetPCIBusId", c.cudaDeviceGetPCIBusId) &&
      take(library, "cudaDeviceCanAccessPeer", c.cudaDeviceCanAccessPeer) &&
      take(library, "cudaDeviceEnablePeerAccess", c.cudaDeviceEnablePeerAccess) &&
      take(library, "cudaIpcGetMemHandle", c.cudaIpcGetMemHandle) &&
      take(library, "cudaIpcOpenMemHandle", c.cudaIpcOpenMemHandle) &&
      take(library, "cudaIpcCloseMemHandle", c.cudaIpcCloseMemHandle) &&
      take(library, "cudaHostAlloc", c.cudaHostAlloc) &&
      take(library, "cudaHostGetDevicePointer", c.cudaHostGetDevicePointer) &&
      take(library, "cudaFreeHost", c.cudaFreeHost) &&
      take(library, "cudaFuncGetAttributes", c.cudaFuncGetAttributes) &&
      take(library, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
           c.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) &&
      take(library, "cudaLaunchKernel", c.cudaLaunchKernel) &&
      take(library, "cudaLaunchCooperativeKernel", c.cudaLaunchCooperativeKernel) &&
      take(library, "cudaGetLastError", c.cudaGetLastError) &&
      take(library, "cudaGetErrorString", c.cudaGetErrorString) &&
      take(library, "cudaGetErrorName", c.cudaGetErrorName);
  if (!all) {
    runtime.trouble = "the CUDA runtime that was found lacks calls of CUDA 11.2";
    runtime.remedy = "install a newer one";
    return runtime;
  }
  diagnose(runtime);
  return runtime;
}

}  // namespace

const CudaRuntime& cuda_runtime() {
  static const CudaRuntime runtime = load();
  return runtime;
}

void check(int error, const char* call, const Context& context) {
  if (error == 0) [[likely]]
    return;
  const CudaCalls& c = cuda_runtime().calls;
  c.cudaGetLastError();  // whoever looks there next shall not find ours
  Context where = context;
  where.remedy = error == 2 ? "free memory of the device, or use smaller buffers"
                            : "look at the device's state (nvidia-smi) and at what ran on it before";
  throw Error(Code::resource, fmt::format("{}: {} ({})", call, c.cudaGetErrorString(error), c.cudaGetErrorName(error)),
              where);
}

OnDevice::OnDevice(int device) {
  const CudaCalls& c = cuda_runtime().calls;
  check(c.cudaGetDevice(&before_), "cudaGetDevice");
  if (before_ == device) return;
  check(c.cudaSetDevice(device), "cudaSetDevice");
  changed_ = true;
}
OnDevice::~OnDevice() {
  if (changed_) cuda_runtime().calls.cudaSetDevice(before_);
}

OwnStream::OwnStream(int device) : device_(device) {
  const OnDevice here(device);
  check(cuda_runtime().calls.cudaStreamCreateWithFlags(&stream_, 0), "cudaStreamCreateWithFlags");
}
OwnStream::~OwnStream() { cuda_runtime().calls.cudaStreamDestroy(stream_); }

Event::Event(int device) : device_(device) {
  const OnDevice here(device);
  check(cuda_runtime().calls.cudaEventCreateWithFlags(&event_, event_disable_timing), "cudaEventCreateWithFlags");
}
Event::~Event() { cuda_runtime().calls.cudaEventDestroy(event_); }

void Event::record(Stream stream) {
  const OnDevice here(device_);
  check(cuda_runtime().calls.cudaEventRecord(event_, stream.handle), "cudaEventRecord");
}

bool Event::reached(const Context& context) const {
  const int error = cuda_runtime().calls.cudaEventQuery(event_);
  if (error == cuda_not_ready) return false;
  check(error, "the work on the device", context);
  return true;
}

void Event::before(Stream stream) const {
  check(cuda_runtime().calls.cudaStreamWaitEvent(stream.handle, event_, 0), "cudaStreamWaitEvent");
}

bool is_capturing(Stream stream) {
  if (stream.handle == nullptr) return false;  // the default stream cannot be
  int status = 0;
  check(cuda_runtime().calls.cudaStreamIsCapturing(stream.handle, &status), "cudaStreamIsCapturing");
  return status != 0;
}

}  // namespace tutti::device
