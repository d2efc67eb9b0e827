#include "run/nccl/nccl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <mutex>

namespace tutti::nccl {

namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// The calls of 2.9.9, which every later one has; then those that came later.
bool find_all(void* library, Calls& c) {
  const bool old =
      find(library, "ncclGetVersion", c.GetVersion) && find(library, "ncclGetErrorString", c.GetErrorString) &&
      find(library, "ncclGetUniqueId", c.GetUniqueId) && find(library, "ncclCommInitRank", c.CommInitRank) &&
      find(library, "ncclCommDestroy", c.CommDestroy) && find(library, "ncclCommAbort", c.CommAbort) &&
      find(library, "ncclCommGetAsyncError", c.CommGetAsyncError) && find(library, "ncclCommCount", c.CommCount) &&
      find(library, "ncclCommUserRank", c.CommUserRank) && find(library, "ncclAllReduce", c.AllReduce) &&
      find(library, "ncclReduce", c.Reduce) && find(library, "ncclReduceScatter", c.ReduceScatter) &&
      find(library, "ncclAllGather", c.AllGather) && find(library, "ncclBroadcast", c.Broadcast) &&
      find(library, "ncclSend", c.Send) && find(library, "ncclRecv", c.Recv) &&
      find(library, "ncclGroupStart", c.GroupStart) && find(library, "ncclGroupEnd", c.GroupEnd);
  find(library, "ncclGetLastError", c.GetLastError);
  find(library, "ncclCommInitRankConfig", c.CommInitRankConfig);
  find(library, "ncclCommFinalize", c.CommFinalize);
  find(library, "ncclCommSplit", c.CommSplit);
  find(library, "ncclCommShrink", c.CommShrink);
  find(library, "ncclCommRegister", c.CommRegister);
  find(library, "ncclCommDeregister", c.CommDeregister);
  find(library, "ncclCommWindowRegister", c.CommWindowRegister);
  find(library, "ncclCommWindowDeregister", c.CommWindowDeregister);
  find(library, "ncclMemAlloc", c.MemAlloc);
  find(library, "ncclMemFree", c.MemFree);
  find(library, "ncclRedOpCreatePreMulSum", c.RedOpCreatePreMulSum);
  find(library, "ncclRedOpDestroy", c.RedOpDestroy);
  find(library, "ncclAlltoAll", c.AlltoAll);
  find(library, "ncclGather", c.Gather);
  find(library, "ncclScatter", c.Scatter);
  return old;
}

Library load(const std::string& name) {
  Library found;
  const std::string file = name.empty() ? "libnccl.so.2" : name;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    found.trouble = fmt::format("there is no NCCL: {}", why != nullptr ? why : file);
    found.remedy = "install NCCL, or name its folder in LD_LIBRARY_PATH or its file in NcclSettings::library";
    return found;
  }
  if (!find_all(library, found.calls) || found.calls.GetVersion(&found.version) != success) {
    found.trouble = fmt::format("{} is no NCCL of version {} or later", file, version_text(oldest_version));
    found.remedy = "install a newer one";
  } else if (found.version < oldest_version) {
    found.trouble = fmt::format("NCCL {} is too old", version_text(found.version));
    found.remedy = fmt::format("install {} or later", version_text(oldest_version));
  }
  return found;
}

/// What stands behind NCCL's seven results, and what helps.
struct Meaning {
  Code code;
  const char* remedy;
};
Meaning meaning_of(Result result) {
  switch (result) {
    case unhandled_cuda_error:
      return {Code::resource, "look at the device's state (nvidia-smi), its free memory, and run with NCCL_DEBUG=INFO"};
    case system_error:
      return {Code::network, "look at the network's state and at /dev/shm, and run with NCCL_DEBUG=INFO"};
    case invalid_argument:
      return {Code::invalid_argument, "look at where the buffers are; NCCL_DEBUG=WARN says which argument it was"};
    case invalid_usage:
      return {Code::mismatch, "make the same calls in the same order on all ranks; NCCL_DEBUG=WARN says more"};
    case remote_error:
      return {Code::peer_lost, "look at how the other ranks ended; make a new communicator"};
    default:
      return {Code::network, "run with NCCL_DEBUG=INFO, and look for the first warning of any rank"};
  }
}

}  // namespace

std::string version_text(int version) {
  if (version < 10000) return fmt::format("{}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

const Library& library(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, Library> all;
  const std::lock_guard lock(mutex);
  auto found = all.find(name);
  if (found == all.end()) found = all.emplace(name, load(name)).first;
  return found->second;
}

void Library::check(Result result, const char* call, Comm comm, const Context& context) const {
  if (result == success || result == in_progress) [[likely]]
    return;
  const Meaning meaning = meaning_of(result);
  std::string words = calls.GetErrorString(result);
  if (const auto at = words.find(" (run with"); at != std::string::npos) words.resize(at);
  // It stays set after later successes, so it is read only here.
  const char* last = calls.GetLastError != nullptr ? calls.GetLastError(comm) : nullptr;
  if (last != nullptr && *last != '\0') words += fmt::format(": {}", last);
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  Context where = context;
  where.remedy = meaning.remedy;
  throw Error(meaning.code, fmt::format("NCCL {}: {}: {}", version_text(version), call, words), where);
}

}  // namespace tutti::nccl
