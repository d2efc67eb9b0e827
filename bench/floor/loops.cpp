#include "floor/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "run/host/reduce.hpp"
#include "tutti/base/reduce_op.hpp"
#include "tutti/base/types.hpp"
#include "tutti/base/units.hpp"

namespace tutti::floor_bench {

namespace {

/// Results from here on are written around the caches.
constexpr std::size_t large_output = std::size_t{8} << 20;

const ReduceOp adding = pack<float>(sum);
const host::Loop add = host::loop_for(DataType::float32, adding);

/// a + b to one or two places. Bit d of `streaming`: destination d is written around the caches.
void add_to(const void* a, const void* b, void* to, void* also_to, std::size_t count, std::uint32_t streaming) {
  const void* sources[] = {a, b};
  void* destinations[] = {to, also_to};
  add({sources, 2, destinations, also_to == nullptr ? 1 : 2, count, -1, 0, streaming}, adding.state);
}

void copy_to(const void* from, void* to, std::size_t bytes, bool streams) {
  host::copy(from, &to, 1, bytes, streams ? 1U : 0U);
}

/// A few numbers, in loops that the compiler sees through.
void whole_short(Pair& pair, const Vectors& v, const Way&) {
  const std::uint64_t number = ++pair.letters;
  Mail::Letter& out = pair.outgoing().letters[number % 2];
  const Mail::Letter& in = pair.incoming().letters[number % 2];
  if (v.count == 2) {
    std::memcpy(out.payload, v.in, 8);
  } else {
    std::memcpy(out.payload, v.in, v.count * 4);
  }
  out.number.store(number, std::memory_order_release);
  while (in.number.load(std::memory_order_acquire) != number) {
    if (v.count > 14) __builtin_prefetch(in.payload + 64);
    relax();
  }
  const auto* other = reinterpret_cast<const float*>(in.payload);
  if (v.count == 2) {
    v.out[0] = v.in[0] + other[0];
    v.out[1] = v.in[1] + other[1];
  } else {
    for (std::size_t i = 0; i < v.count; ++i) v.out[i] = v.in[i] + other[i];
  }
}

/// The whole vector to the other rank; both add.
void whole(Pair& pair, const Vectors& v, const Way& way) {
  const std::uint64_t number = ++pair.letters;
  Mail::Letter& out = pair.outgoing().letters[number % 2];
  const Mail::Letter& in = pair.incoming().letters[number % 2];
  // On a line of its own, so that vector loops and stores around the caches are aligned.
  copy_to(v.in, out.payload + 56, v.count * 4, way.streams);
  out.number.store(number, std::memory_order_release);
  wait_until(in.number, number);
  add_to(v.in, in.payload + 56, v.out, nullptr, v.count, 0);
}

/// Each rank adds one half. In turn it sends a chunk of the other's half, adds the chunk before that, and takes the result
/// of the one before that. No credits are needed: when the part with one number has come, the other rank has done with
/// everything three numbers back.
void halves(Pair& pair, const Vectors& v, const Way& way) {
  const std::size_t half = v.count / 2;
  const std::size_t mine = pair.rank == 0 ? 0 : half;
  const std::size_t others = half - mine;
  const std::size_t my_length = pair.rank == 0 ? half : v.count - half;
  const std::size_t their_length = v.count - my_length;
  const std::size_t chunk = way.chunk / 4;
  const std::size_t chunks = (std::max(my_length, their_length) + chunk - 1) / chunk;
  const bool around = v.count * 4 >= large_output;
  const std::uint64_t base = pair.chunks;
  Mail& to = pair.outgoing();
  Mail& from = pair.incoming();
  const auto length = [&](std::size_t all, std::size_t k) {
    return k * chunk < all ? std::min(chunk, all - k * chunk) : 0;
  };
  for (std::size_t k = 0; k < chunks + 2; ++k) {
    if (k < chunks) {
      copy_to(v.in + others + k * chunk, to.parts[(base + k) % slots], length(their_length, k) * 4, way.streams);
      to.parts_sent.value.store(base + k + 1, std::memory_order_release);
    }
    if (k >= 1 && k - 1 < chunks) {
      const std::size_t at = (k - 1) * chunk;
      const std::uint64_t slot = (base + k - 1) % slots;
      wait_until(from.parts_sent.value, base + k);
      add_to(v.in + mine + at, from.parts[slot], v.out + mine + at, to.results[slot], length(my_length, k - 1),
             (around ? 1U : 0U) | (way.streams ? 2U : 0U));
      to.results_sent.value.store(base + k, std::memory_order_release);
    }
    if (k >= 2) {
      const std::size_t at = (k - 2) * chunk;
      wait_until(from.results_sent.value, base + k - 1);
      copy_to(from.results[(base + k - 2) % slots], v.out + others + at, length(their_length, k - 2) * 4, around);
    }
  }
  pair.chunks += chunks;
}

/// Each rank adds one half of both vectors and writes it to both outputs.
void in_place(Pair& pair, const Vectors& v, const Way& way) {
  const std::size_t half = v.count / 2 / 16 * 16;
  const std::size_t begin = pair.rank == 0 ? 0 : half;
  const std::size_t length = pair.rank == 0 ? half : v.count - half;
  pair.barrier();
  add_to(v.in_of[0] + begin, v.in_of[1] + begin, v.out_of[pair.rank] + begin, v.out_of[1 - pair.rank] + begin, length,
         way.streams ? 3U : 0U);
  pair.barrier();
}

}  // namespace

std::vector<Way> ways_through_slots(std::size_t bytes) {
  std::vector<Way> ways;
  if (bytes <= 1024) ways.push_back({"whole, plain loop", 0, false, whole_short});
  if (bytes <= 64) return ways;
  if (bytes + 56 <= flat_bytes) {
    ways.push_back({"whole", 0, false, whole});
    ways.push_back({"whole, around", 0, true, whole});
  }
  if (bytes < 8192) return ways;
  for (const std::size_t chunk : {std::size_t{16} << 10, std::size_t{64} << 10, most_chunk}) {
    for (const bool streams : {false, true}) {
      ways.push_back({fmt::format("{}{}", format_bytes(chunk), streams ? ", around" : ""), chunk, streams, halves});
    }
    if (chunk >= bytes / 2) break;
  }
  return ways;
}

std::vector<Way> ways_in_place(std::size_t bytes) {
  std::vector<Way> ways{{"in place", 0, false, in_place}};
  if (bytes >= large_output / 2) ways.push_back({"in place, around", 0, true, in_place});
  return ways;
}

}  // namespace tutti::floor_bench
