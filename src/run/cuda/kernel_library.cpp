#include "run/cuda/kernel_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/library.hpp"
#include "run/device/cuda_runtime.hpp"

namespace tutti::cuda {

namespace {

constexpr const char* file_name = "libtutti_kernels.so";

/// Where this code itself lies: the program, or libtutti.so.
std::string own_folder() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&kernel_library), &here) == 0 || here.dli_fname == nullptr) return ".";
  const std::string file = here.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

std::vector<std::string> places(const std::string& path) {
  if (!path.empty()) return {path};
  const std::string own = own_folder();
  std::vector<std::string> all{file_name, own + "/" + file_name, own + "/../" + file_name,
                               own + "/../lib/" + file_name};
#ifdef TUTTI_KERNELS_FOLDER
  all.push_back(std::string(TUTTI_KERNELS_FOLDER "/") + file_name);
#endif
  return all;
}

KernelLibrary load(const std::string& path) {
  KernelLibrary result;
  void* library = nullptr;
  std::string said;
  for (const std::string& place : places(path)) {
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    const char* const error = dlerror();
    if (said.empty() && error != nullptr) said = error;
  }
  if (library == nullptr) {
    result.trouble = fmt::format("tutti's kernels were not found ({})", said);
    result.remedy =
        "build tutti where nvcc is, and name libtutti_kernels.so in CudaSettings::kernels or LD_LIBRARY_PATH";
    return result;
  }
  const auto ask = reinterpret_cast<kernels::LibraryFunction*>(dlsym(library, kernels::library_symbol));
  const kernels::Library* const found = ask == nullptr ? nullptr : ask();
  int runtime = 0;
  device::cuda_runtime().calls.cudaRuntimeGetVersion(&runtime);
  if (found == nullptr) {
    result.trouble = "the libtutti_kernels.so that was found is none of tutti's";
  } else if (std::string(found->version) != TUTTI_VERSION || found->arguments_bytes != sizeof(kernels::Arguments)) {
    result.trouble = fmt::format("the libtutti_kernels.so that was found is of tutti {}, and this is {}",
                                 found->version, TUTTI_VERSION);
  } else if (found->cuda / 1000 != runtime / 1000) {
    result.trouble =
        fmt::format("tutti's kernels were compiled for CUDA {}, and the program has the runtime of CUDA {}",
                    found->cuda / 1000, runtime / 1000);
  } else {
    result.kernel_for = found->kernel_for;
  }
  if (!result.trouble.empty()) result.remedy = "use the one that was built with this tutti, for this CUDA";
  return result;
}

}  // namespace

const KernelLibrary& kernel_library(const std::string& path) {
  static std::mutex mutex;
  static auto* const loaded = new std::map<std::string, KernelLibrary>;
  const std::lock_guard lock(mutex);
  const auto known = loaded->find(path);
  return known != loaded->end() ? known->second : loaded->emplace(path, load(path)).first->second;
}

int load_all(const KernelLibrary& library, int threads) {
  const device::CudaCalls& calls = device::cuda_runtime().calls;
  alignas(16) unsigned char attributes[1024];  // cudaFuncAttributes, which grows from version to version
  int blocks = 1 << 20;
  const auto load_one = [&](DataType type, Op op) {
    const kernels::Kernel kernel = library.kernel_for(type, op);
    for (const void* const function : {kernel.slots, kernel.packets}) {
      if (function == nullptr) continue;
      device::check(calls.cudaFuncGetAttributes(attributes, function), "cudaFuncGetAttributes");
      int here = 0;
      device::check(calls.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&here, function, threads, 0, 0),
                    "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
      blocks = std::min(blocks, here);
    }
  };
  load_one(DataType::uint8, Op::none);
  for (int type = 0; type < static_cast<int>(DataType::user); ++type) {
    for (const Op op : {Op::sum, Op::product, Op::minimum, Op::bitwise_and}) load_one(static_cast<DataType>(type), op);
  }
  return blocks;
}

}  // namespace tutti::cuda
