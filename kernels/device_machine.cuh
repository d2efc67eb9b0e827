/// @file  DeviceMachine: what kernels ask of a GPU that C++ has no words for, one PTX instruction each.
#pragma once

#include <cuda_runtime.h>

#include "kernels/host_machine.hpp"

namespace tutti::kernels {

/// Acquire and release are at system scope: the other side is another GPU, or the host. Payload is read and written by
/// ordinary loads and stores, which acquire and release order; never through the read-only path.
#ifdef __CUDA_ARCH__
struct DeviceMachine {
  __device__ static std::uint64_t load_acquire(const std::uint64_t* word) {
    std::uint64_t value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(global(word)) : "memory");
    return value;
  }
  __device__ static void store_release(std::uint64_t* word, std::uint64_t value) {
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(global(word)), "l"(value) : "memory");
  }
  __device__ static std::uint32_t load_relaxed(const std::uint32_t* word) {
    std::uint32_t value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(global(word)) : "memory");
    return value;
  }
  __device__ static void store_relaxed(std::uint32_t* word, std::uint32_t value) {
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(global(word)), "r"(value) : "memory");
  }

  __device__ static Words load_words(const std::byte* from) {
    __builtin_assume(__isGlobal(from));
    const uint4 v = *reinterpret_cast<const uint4*>(from);
    return {{v.x, v.y, v.z, v.w}};
  }
  __device__ static void store_words(std::byte* to, const Words& words) {
    __builtin_assume(__isGlobal(to));
    *reinterpret_cast<uint4*>(to) = make_uint4(words.w[0], words.w[1], words.w[2], words.w[3]);
  }

  __device__ static void store_line(std::byte* to, Line line, std::uint32_t number) {
    asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(global(to)), "r"(line.low), "r"(number),
                 "r"(line.high)
                 : "memory");
  }
  __device__ static bool load_line(const std::byte* from, Line& line, std::uint32_t number) {
    std::uint32_t first;
    std::uint32_t second;
    asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(line.low), "=r"(first), "=r"(line.high), "=r"(second)
                 : "l"(global(from))
                 : "memory");
    return first == number && second == number;
  }

  /// The same bits as on the host: the one difference of the processor's conversions, the payload of a NaN, is undone.
  template <class T>
  __device__ static accumulator_t<T> widen(T value) {
    if constexpr (std::is_same_v<T, float16>) {
      float wide;
      asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
      return wide;
    } else {
      return static_cast<accumulator_t<T>>(value);
    }
  }
  template <class T>
  __device__ static T narrow(accumulator_t<T> value) {
    if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
      std::uint16_t bits;
      if constexpr (std::is_same_v<T, float16>) {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
      } else {
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
      }
      constexpr std::uint16_t quiet_nan = std::is_same_v<T, float16> ? 0x7e00 : 0x7fc0;
      const std::uint32_t word = __float_as_uint(value);
      if (value != value) bits = static_cast<std::uint16_t>((word >> 31) << 15 | quiet_nan);
      return T::from_bits(bits);
    } else {
      return static_cast<T>(value);
    }
  }

  __device__ static std::uint64_t now() {
    std::uint64_t nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
    return nanoseconds;
  }

 private:
  __device__ static std::uint64_t global(const void* pointer) {
    return static_cast<std::uint64_t>(__cvta_generic_to_global(pointer));
  }
};
#else
struct DeviceMachine : HostMachine {};  // kernels compiled for a CPU
#endif

}  // namespace tutti::kernels
