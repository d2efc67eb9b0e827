/// @file  HostMachine: what kernels ask of a processor, as a CPU does it; GPUs have theirs in device_machine.cuh.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "kernels/words.hpp"
#include "tutti/base/reduce_op.hpp"

namespace tutti::kernels {

/// A line of a packet is eight bytes of payload and, twice, the number of the message. Each half travels whole, since
/// both machines move eight aligned bytes at once; nothing larger is relied on.
///
/// Words between ranks are read with acquire and written with release; there are no fences, which ThreadSanitizer would
/// not understand. Everything is static: a machine has no state.
struct HostMachine {
  static std::uint64_t load_acquire(const std::uint64_t* word) {
    return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(word)).load(std::memory_order_acquire);
  }
  static void store_release(std::uint64_t* word, std::uint64_t value) {
    std::atomic_ref<std::uint64_t>(*word).store(value, std::memory_order_release);
  }
  static std::uint32_t load_relaxed(const std::uint32_t* word) {
    return std::atomic_ref<std::uint32_t>(*const_cast<std::uint32_t*>(word)).load(std::memory_order_relaxed);
  }
  static void store_relaxed(std::uint32_t* word, std::uint32_t value) {
    std::atomic_ref<std::uint32_t>(*word).store(value, std::memory_order_relaxed);
  }

  static Words load_words(const std::byte* from) {
    Words words;
    std::memcpy(&words, from, sizeof words);
    return words;
  }
  static void store_words(std::byte* to, const Words& words) { std::memcpy(to, &words, sizeof words); }

  static void store_line(std::byte* to, Line line, std::uint32_t number) {
    store_half(to, line.low, number);
    store_half(to + 8, line.high, number);
  }
  /// True when both halves belong to message `number`.
  static bool load_line(const std::byte* from, Line& line, std::uint32_t number) {
    const std::uint64_t first = load_half(from);
    const std::uint64_t second = load_half(from + 8);
    line = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)};
    return static_cast<std::uint32_t>(first >> 32) == number && static_cast<std::uint32_t>(second >> 32) == number;
  }

  template <class T>
  static accumulator_t<T> widen(T value) {
    return static_cast<accumulator_t<T>>(value);
  }
  template <class T>
  static T narrow(accumulator_t<T> value) {
    return static_cast<T>(value);
  }

  /// Nanoseconds on a clock that only goes forward.
  static std::uint64_t now() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
  }

 private:
  static void store_half(std::byte* to, std::uint32_t payload, std::uint32_t number) {
    std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(to))
        .store(payload | static_cast<std::uint64_t>(number) << 32, std::memory_order_relaxed);
  }
  static std::uint64_t load_half(const std::byte* from) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(from)))
        .load(std::memory_order_relaxed);
  }
};

}  // namespace tutti::kernels
