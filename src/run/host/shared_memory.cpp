#include "run/host/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap/secret.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/bootstrap/descriptor.hpp"
#include "tutti/bootstrap/rendezvous.hpp"

namespace tutti::host {

namespace {

/// Beyond this, a page touched here and there would cost more memory than huge pages save time.
constexpr std::size_t huge_page_limit = std::size_t{64} << 20;

UniqueFd make(std::size_t bytes) {
  UniqueFd fd(memfd_create("tutti", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) {
    throw_errno(Code::resource, fmt::format("memfd_create for {} of shared memory", format_bytes(bytes)),
                "raise the limit of open files (ulimit -n) or close some");
  }
  if (ftruncate(fd.fd(), static_cast<off_t>(bytes)) != 0) {
    throw_errno(Code::resource, fmt::format("shared memory of {}", format_bytes(bytes)),
                "allow the process more memory (cgroup, ulimit -f) or use fewer ranks per node");
  }
  if (fcntl(fd.fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw_errno(Code::resource, "sealing shared memory");
  }
  return fd;
}

[[noreturn]] void refuse(std::string_view key, std::size_t here, std::size_t there, int owner) {
  throw Error(Code::mismatch,
              fmt::format("shared memory \"{}\" has {} bytes here and {} on rank {}", key, here, there, owner),
              {.remedy = "all ranks must run the same version of the library and ask for the same size"});
}

/// What threads of this process lend one another, by tokens that nobody guesses.
class Loans {
 public:
  using Memory = std::shared_ptr<SharedMemory>;
  static Loans& of_process() {
    static Loans& loans = *new Loans;  // never destroyed: communicators that are global variables may go later
    return loans;
  }
  void lend(const std::string& token, Memory memory) {
    const std::scoped_lock lock(mutex_);
    lent_[token] = std::move(memory);
  }
  /// Null when its owner has taken it back.
  Memory copy(const std::string& token) {
    const std::scoped_lock lock(mutex_);
    const auto found = lent_.find(token);
    return found == lent_.end() ? nullptr : found->second;
  }
  void take_back(const std::string& token) {
    const std::scoped_lock lock(mutex_);
    lent_.erase(token);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Memory> lent_;
};

}  // namespace

std::shared_ptr<SharedMemory> SharedMemory::map(int fd, std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (data == MAP_FAILED) {
    throw_errno(Code::resource, fmt::format("mapping {} of shared memory", format_bytes(bytes)),
                "allow the process more address space (ulimit -v)");
  }
  if (bytes <= huge_page_limit) madvise(data, bytes, MADV_HUGEPAGE);  // a wish: refused where the kernel has none
  return std::shared_ptr<SharedMemory>(new SharedMemory(static_cast<std::byte*>(data), bytes));
}

SharedMemory::~SharedMemory() { munmap(data_, size_); }

std::size_t SharedMemory::resident() const {
  constexpr std::size_t page = 4096;
  std::vector<unsigned char> in_core((size_ + page - 1) / page);
  if (mincore(data_, size_, in_core.data()) != 0) return 0;
  return page * static_cast<std::size_t>(
                    std::count_if(in_core.begin(), in_core.end(), [](unsigned char core) { return (core & 1) != 0; }));
}

void SharedMemory::discard() const { madvise(data_, size_, MADV_REMOVE); }

std::shared_ptr<SharedMemory> SharedMemory::open(const World& local, int owner, std::string_view key, std::size_t bytes,
                                                 Store::Deadline deadline) {
  if (local.size == 1) return map(make(bytes).fd(), bytes);
  const std::string name = fmt::format("memory/{}", key);
  std::shared_ptr<SharedMemory> memory;
  if (!local.one_process) {
    if (local.rank == owner) {
      const UniqueFd fd = make(bytes);
      memory = map(fd.fd(), bytes);
      share_descriptor(local, name, fd.fd(), local.size - 1, deadline);
    } else {
      const UniqueFd fd = receive_descriptor(local, name, deadline);
      struct stat status {};
      if (fstat(fd.fd(), &status) != 0 || static_cast<std::size_t>(status.st_size) != bytes) {
        refuse(key, bytes, static_cast<std::size_t>(status.st_size), owner);
      }
      memory = map(fd.fd(), bytes);
    }
    return memory;
  }
  // Threads of one process share the mapping itself: the owner lends it until all have it, or its deadline passes.
  if (local.rank == owner) {
    memory = map(make(bytes).fd(), bytes);
    const std::string token = random_name();
    struct TakeBack {
      const std::string& token;
      ~TakeBack() { Loans::of_process().take_back(token); }
    } guard{token};
    Loans::of_process().lend(token, memory);
    local.store->set(name, token);
    for (int taken = 1; taken < local.size; ++taken) local.store->wait(fmt::format("{}/{}", name, taken), deadline);
    local.store->erase_prefix(name);
  } else {
    memory = Loans::of_process().copy(text_of(local.store->wait(name, deadline)));
    if (memory == nullptr) {
      throw Error(Code::peer_lost, fmt::format("shared memory \"{}\": its owner waited no longer", key),
                  {.rank = local.rank,
                   .peer = owner,
                   .remedy = "look at what kept this rank, or allow more time (World::timeout, TUTTI_TIMEOUT)"});
    }
    local.store->set(fmt::format("{}/{}", name, local.store->add(name + "/count", 1)), "");
    if (memory->size() != bytes) refuse(key, bytes, memory->size(), owner);
  }
  return memory;
}

}  // namespace tutti::host
