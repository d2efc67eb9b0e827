/// @file  Pair: two ranks, as processes or threads, that share some memory: flags, a barrier, slots of both directions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::floor_bench {

struct alignas(128) Flag {
  std::atomic<std::uint64_t> value;
};

inline constexpr std::size_t flat_bytes = std::size_t{16} << 10;   ///< the largest vector that is sent whole
inline constexpr std::size_t most_chunk = std::size_t{128} << 10;  ///< the largest slot
inline constexpr std::size_t slots = 4;

/// What one rank writes for the other.
struct Mail {
  struct alignas(128) Letter {
    std::atomic<std::uint64_t> number;
    std::byte payload[flat_bytes - 8 + 128];  ///< the spare line puts the two letters into different cache sets
  };
  Letter letters[2];  ///< vectors sent whole: the flag and what follows it lie in one line
  Flag parts_sent;
  Flag results_sent;
  alignas(4096) std::byte parts[slots][most_chunk];
  alignas(4096) std::byte results[slots][most_chunk];
};

/// Zeroed memory is valid.
struct Common {
  Flag arrived[2];
  Flag told;  ///< a number that rank 0 tells rank 1
  Mail mail[2];
};

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

inline void wait_until(const std::atomic<std::uint64_t>& flag, std::uint64_t least) {
  while (flag.load(std::memory_order_acquire) < least) relax();
}

/// One rank's view. Counts only grow, so nothing is ever cleared.
class Pair {
 public:
  Pair(Common& common, int rank) : rank(rank), common_(common) {}

  void barrier() {
    ++arrived_;
    common_.arrived[rank].value.store(arrived_, std::memory_order_release);
    wait_until(common_.arrived[1 - rank].value, arrived_);
  }
  /// Rank 0's number, on both.
  std::uint64_t told(std::uint64_t number) {
    if (rank == 0) common_.told.value.store(number, std::memory_order_relaxed);
    barrier();
    number = common_.told.value.load(std::memory_order_relaxed);
    barrier();
    return number;
  }
  Mail& outgoing() { return common_.mail[rank]; }
  Mail& incoming() { return common_.mail[1 - rank]; }

  const int rank;
  std::uint64_t letters = 0;  ///< sent so far; as many have been read
  std::uint64_t chunks = 0;   ///< the same, of parts and of results

 private:
  Common& common_;
  std::uint64_t arrived_ = 0;
};

}  // namespace tutti::floor_bench
