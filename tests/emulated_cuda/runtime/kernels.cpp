#include "emulated_cuda/runtime/kernels.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulated_cuda/runtime/settings.hpp"

namespace tutti::emulated {

namespace {

struct Tables {
  std::mutex mutex;
  std::unordered_map<const void*, std::string> stubs;
  std::unordered_map<const void*, int> dynamic_shared;
  std::unordered_map<std::string, const KernelEntry*> kernels;
  std::vector<const KernelEntry*> unnamed;  ///< registered while their library was loading: dladdr does not see it yet
};

Tables& tables() {
  static Tables* const all = new Tables;
  return *all;
}

void load_libraries() {
  const std::string& list = settings().kernels;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    const std::string path = list.substr(at, end - at);
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) std::fprintf(stderr, "emulated CUDA: %s\n", dlerror());
    at = end + 1;
  }
}

}  // namespace

void name_stub(const void* stub, const char* name) {
  const std::lock_guard lock(tables().mutex);
  tables().stubs[stub] = name;
}

std::string name_of_stub(const void* stub) {
  const std::lock_guard lock(tables().mutex);
  const auto found = tables().stubs.find(stub);
  return found == tables().stubs.end() ? std::string() : found->second;
}

const KernelEntry* kernel_named(const std::string& name) {
  static std::once_flag once;
  std::call_once(once, load_libraries);
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  for (const KernelEntry* entry : all.unnamed) {
    Dl_info info{};
    if (dladdr(entry->function, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == entry->function) {
      all.kernels[info.dli_sname] = entry;
    } else {
      std::fprintf(stderr, "emulated CUDA: the kernel at %p has no symbol: give it external linkage\n",
                   entry->function);
    }
  }
  all.unnamed.clear();
  const auto found = all.kernels.find(name);
  return found == all.kernels.end() ? nullptr : found->second;
}

void allow_dynamic_shared(const void* stub, int bytes) {
  const std::lock_guard lock(tables().mutex);
  tables().dynamic_shared[stub] = bytes;
}

int allowed_dynamic_shared(const void* stub) {
  const std::lock_guard lock(tables().mutex);
  const auto found = tables().dynamic_shared.find(stub);
  return found == tables().dynamic_shared.end() ? 48 << 10 : found->second;
}

}  // namespace tutti::emulated

extern "C" void tutti_emulated_register(const tutti::emulated::KernelEntry* entry) {
  const std::lock_guard lock(tutti::emulated::tables().mutex);
  tutti::emulated::tables().unnamed.push_back(entry);
}
