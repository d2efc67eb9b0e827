#include "emulated_cuda/runtime/memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "emulated_cuda/runtime/machine.hpp"
#include "emulated_cuda/runtime/settings.hpp"

namespace tutti::emulated {

namespace {

constexpr std::size_t page = 4096;
constexpr int poison = 0xCD;

struct Table {
  std::mutex mutex;
  std::map<const char*, Allocation> by_begin;
};
Table& table() {
  static Table* const all = new Table;
  return *all;
}

}  // namespace

std::size_t page_up(std::size_t bytes) { return (bytes + page - 1) / page * page; }

std::shared_ptr<Physical> Physical::make(std::size_t bytes, int number) {
  if (number >= 0) {
    std::atomic<std::size_t>& used = emulated::device(number).used;
    if (used.fetch_add(bytes) + bytes > settings().memory_bytes) {
      used -= bytes;
      return nullptr;
    }
  }
  const std::string name = "emulated-cuda-" + std::to_string(number);
  const int descriptor = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(page_up(bytes))) != 0) {
    if (descriptor >= 0) close(descriptor);
    if (number >= 0) emulated::device(number).used -= bytes;
    return nullptr;
  }
  return std::shared_ptr<Physical>(new Physical(descriptor, bytes, number, true));
}

std::shared_ptr<Physical> Physical::adopt(int descriptor) {
  std::array<char, 128> name{};
  std::array<char, 64> link{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
  int number = 0;
  struct stat facts {};
  if (readlink(link.data(), name.data(), name.size() - 1) < 0 || fstat(descriptor, &facts) != 0 ||
      std::sscanf(name.data(), "/memfd:emulated-cuda-%d", &number) != 1) {
    return nullptr;
  }
  return std::shared_ptr<Physical>(new Physical(descriptor, static_cast<std::size_t>(facts.st_size), number, false));
}

Physical::~Physical() {
  close(descriptor_);
  if (counted_ && device_ >= 0) emulated::device(device_).used -= bytes_;
}

char* map_physical(const std::shared_ptr<Physical>& physical, char* at, int number, Origin origin) {
  const std::size_t bytes = page_up(physical->bytes());
  char* place = at;
  if (place == nullptr) {
    void* reserved = mmap(nullptr, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return nullptr;
    place = static_cast<char*>(reserved) + page;
  }
  if (mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->descriptor(), 0) == MAP_FAILED) {
    return nullptr;
  }
  know({place, physical->bytes(), number, origin, physical});
  return place;
}

void know(const Allocation& allocation) {
  const std::lock_guard lock(table().mutex);
  table().by_begin[allocation.begin] = allocation;
}

char* allocate(std::size_t bytes, int number, Origin origin) {
  const bool host = origin == Origin::pinned;
  const auto physical = Physical::make(bytes, host ? -1 : number);
  if (physical == nullptr) return nullptr;
  char* place = map_physical(physical, nullptr, number, origin);
  if (place != nullptr) std::memset(place, poison, page_up(bytes));
  return place;
}

bool release_allocation(void* begin, Origin origin) {
  Allocation gone;
  {
    const std::lock_guard lock(table().mutex);
    const auto found = table().by_begin.find(static_cast<const char*>(begin));
    if (found == table().by_begin.end() || found->second.origin != origin) return false;
    gone = found->second;
    table().by_begin.erase(found);
  }
  if (origin == Origin::registered) return true;
  const std::size_t bytes = page_up(gone.bytes);
  if (origin == Origin::mapped) {  // the address stays reserved
    mmap(gone.begin, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  } else {
    munmap(gone.begin - page, bytes + 2 * page);
  }
  return true;
}

std::optional<Allocation> allocation_at(const void* address) {
  const auto* at = static_cast<const char*>(address);
  const std::lock_guard lock(table().mutex);
  auto found = table().by_begin.upper_bound(at);
  if (found == table().by_begin.begin()) return std::nullopt;
  --found;
  if (at >= found->second.begin + found->second.bytes) return std::nullopt;
  return found->second;
}

}  // namespace tutti::emulated
