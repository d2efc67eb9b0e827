#include "cli/bench_probe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cli/bench_statistics.hpp"
#include "tutti/base/unique_fd.hpp"
#include "tutti/collectives.hpp"

namespace tutti::bench {

/// A flag's line is written by one rank.
struct Probe::Page {
  struct alignas(128) Flag {
    std::atomic<long long> value;
  };
  Flag flags[2];
  Flag more;  ///< rank 0's: is there another series?
};

namespace {

constexpr int most_series = 9;
constexpr int exchanges = 50;    ///< of a series
constexpr double enough = 2e-3;  ///< seconds: beyond, the processors are not the ranks' own, and one series says so
constexpr int patience = 2000;   ///< looks before the processor is given to others

void wait_for(const std::atomic<long long>& flag, long long turn) {
  for (int looks = 0; flag.load(std::memory_order_acquire) < turn; ++looks) {
    if (looks > patience) std::this_thread::yield();
  }
}

}  // namespace

Probe::Probe(Communicator& communicator) : communicator_(communicator) {
  if (communicator.size() < 2) return;
  const int rank = communicator.rank();
  UniqueFd file;
  const auto host = static_cast<std::int64_t>(std::hash<std::string>{}(communicator.world().host_id));
  std::vector<std::int64_t> address{-1, -1, host};  // process and descriptor, good on that host only
  if (rank == 0) {
    file = UniqueFd(::memfd_create("tutti-probe", MFD_CLOEXEC));
    if (file && ::ftruncate(file.fd(), sizeof(Page)) == 0) address = {::getpid(), file.fd(), host};
  }
  broadcast(communicator, on_host(address), 0).wait();
  if (rank == 1 && address[0] >= 0 && address[2] == host) {
    const std::string path = fmt::format("/proc/{}/fd/{}", address[0], address[1]);
    file = UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
  if (rank < 2 && file) {
    void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
    if (memory != MAP_FAILED) page_ = static_cast<Page*>(memory);
  }
  std::vector<std::int32_t> able{rank > 1 || page_ != nullptr ? 1 : 0};
  all_reduce(communicator, on_host(able), minimum).wait();
  if (able[0] == 0 && page_ != nullptr) {
    ::munmap(page_, sizeof(Page));
    page_ = nullptr;
  }
}

Probe::~Probe() {
  if (page_ != nullptr) ::munmap(page_, sizeof(Page));
}

ProbeTime Probe::measure() {
  if (communicator_.size() < 2) return {};
  barrier(communicator_).wait();
  ProbeTime result;
  if (page_ != nullptr) {
    std::atomic<long long>& mine = page_->flags[communicator_.rank()].value;
    const std::atomic<long long>& other = page_->flags[1 - communicator_.rank()].value;
    std::vector<double> times;
    double total = 0;
    const auto exchange = [&] {
      mine.store(++turn_, std::memory_order_release);
      wait_for(other, turn_);
    };
    exchange();  // both are here
    for (bool more = true; more; more = page_->more.value.load(std::memory_order_relaxed) != 0) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < exchanges; ++i) exchange();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      times.push_back(1e6 * seconds / exchanges);
      total += seconds;
      // Rank 0 decides for both, and its next flag publishes it. Rank 1 has read it before it raises the flag after.
      if (communicator_.rank() == 0) {
        page_->more.value.store(total < enough && times.size() < most_series ? 1 : 0, std::memory_order_relaxed);
      }
      exchange();
    }
    result = quantile(times, 0.5);
  }
  barrier(communicator_).wait();
  return result;
}

}  // namespace tutti::bench
