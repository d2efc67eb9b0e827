/// @file  cuda*, __cuda*: launches of kernels, and what nvcc's host code calls before main.
#include <cstdio>
#include <memory>

#include "emulated_cuda/runtime/grid.hpp"
#include "emulated_cuda/runtime/kernels.hpp"
#include "emulated_cuda/runtime/machine.hpp"
#include "emulated_cuda/runtime/queue.hpp"
#include "emulated_cuda/runtime/settings.hpp"

using namespace tutti::emulated;

namespace {

/// What stands between <<< and >>>, until the stub takes it.
struct CallConfiguration {
  dim3 grid, block;
  std::size_t dynamic = 0;
  cudaStream_t stream = nullptr;
};
thread_local CallConfiguration configuration;

struct LaunchRequest {
  const void* stub;
  dim3 grid, block;
  void** parameters;
  std::size_t dynamic;
  cudaStream_t stream;
  bool cooperative;
};

void run(const Launch& launch) {
  Device& mine = device(launch.device);
  if (mine.lost.load() != 0) return;
  if (const cudaError_t error = fault_on("kernel", launch.device)) {
    mine.lost = error;
  } else if (!run_grid(launch, mine.lost)) {
    int none = 0;
    mine.lost.compare_exchange_strong(none, cudaErrorLaunchFailure);
  }
}

cudaError_t launch(const LaunchRequest& request) {
  TUTTI_EMULATED_BEGIN("cudaLaunchKernel");
  Queue& queue = *queue_of(request.stream);
  if (queue.device() != current_device()) return remember(cudaErrorInvalidResourceHandle);
  const std::string name = name_of_stub(request.stub);
  if (name.empty()) return remember(cudaErrorInvalidDeviceFunction);
  const KernelEntry* kernel = kernel_named(name);
  if (kernel == nullptr) {
    std::fprintf(stderr, "emulated CUDA: no library of EMULATED_CUDA_KERNELS has the kernel %s\n", name.c_str());
    return remember(cudaErrorNoKernelImageForDevice);
  }
  const dim3 g = request.grid, b = request.block;
  const std::size_t threads = std::size_t{b.x} * b.y * b.z, blocks = std::size_t{g.x} * g.y * g.z;
  if (threads == 0 || threads > 1024 || blocks == 0 || b.z > 64) return remember(cudaErrorInvalidConfiguration);
  if (request.dynamic > static_cast<std::size_t>(allowed_dynamic_shared(request.stub))) {
    return remember(cudaErrorInvalidValue);
  }
  if (request.cooperative && blocks > resident_blocks()) return remember(cudaErrorCooperativeLaunchTooLarge);
  const auto value = std::make_shared<Launch>();
  value->kernel = kernel;
  value->name = name;
  value->parameters.resize(kernel->parameter_bytes + 64);
  kernel->pack(value->parameters.data(), request.parameters);
  value->grid = {g.x, g.y, g.z};
  value->block = {b.x, b.y, b.z};
  value->dynamic_shared = request.dynamic;
  value->device = queue.device();
  value->cooperative = request.cooperative;
  queue.add([value] { run(*value); });
  if (queue.capture.status == cudaStreamCaptureStatusActive) {
    queue.capture.graph->nodes.back().type = cudaGraphNodeTypeKernel;
  }
  return cudaSuccess;
}

}  // namespace

TUTTI_EMULATED_API cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** parameters,
                                                size_t dynamic, cudaStream_t stream) {
  return launch({stub, grid, block, parameters, dynamic, stream, false});
}
TUTTI_EMULATED_API cudaError_t cudaLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** parameters,
                                                           size_t dynamic, cudaStream_t stream) {
  return launch({stub, grid, block, parameters, dynamic, stream, true});
}
TUTTI_EMULATED_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* stub,
                                                   void** parameters) {
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    switch (attribute.id) {
      case cudaLaunchAttributeCooperative:
        cooperative = attribute.val.cooperative != 0;
        break;
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        break;
      case cudaLaunchAttributeClusterDimension:
        if (attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z == 1) break;
        [[fallthrough]];
      default:
        return remember(cudaErrorNotSupported);
    }
  }
  return launch(
      {stub, config->gridDim, config->blockDim, parameters, config->dynamicSmemBytes, config->stream, cooperative});
}

TUTTI_EMULATED_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic, cudaStream_t stream) {
  configuration = {grid, block, dynamic, stream};
  return 0;
}
TUTTI_EMULATED_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *dynamic = configuration.dynamic;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(stub));
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** parameters,
                                                  size_t dynamic, cudaStream_t stream) {
  return launch({kernel, grid, block, parameters, dynamic, stream, false});
}

TUTTI_EMULATED_API void** __cudaRegisterFatBinary(void*) {
  static void* handle[1];
  return handle;
}
TUTTI_EMULATED_API void __cudaRegisterFatBinaryEnd(void**) {}
TUTTI_EMULATED_API void __cudaUnregisterFatBinary(void**) {}
TUTTI_EMULATED_API char __cudaInitModule(void**) { return 1; }
TUTTI_EMULATED_API void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, uint3*, uint3*,
                                               dim3*, dim3*, int*) {
  name_stub(stub, name);
}
TUTTI_EMULATED_API void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
