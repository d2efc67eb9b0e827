/// @file  The operators that kernels are made for, type by type: the one list that both compilers go by.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/arguments.hpp"
#include "tutti/base/reduce_op.hpp"

namespace tutti::kernels {

/// Minimum or Maximum, as the call says: half the kernels to compile, and memory is what they wait for anyway.
struct Extremum {
  bool largest = false;
  template <class T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return largest ? Maximum{}(a, b) : Minimum{}(a, b);
  }
};

/// And, or, exclusive or: the bits that both have, and those that one has, each through a mask.
struct Bitwise {
  std::uint64_t both = 0;
  std::uint64_t one = 0;
  template <class T>
  TUTTI_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>((a & b & static_cast<T>(both)) | ((a ^ b) & static_cast<T>(one)));
  }
};

/// Calls visit(F{}) for each function object that elements of T have a kernel for. An average and a premultiplied sum
/// are sums, with something done before or after; signed integers wrap as unsigned ones do, and use their product and
/// bitwise kernels.
template <class T, class Visit>
constexpr void for_each_operator(Visit&& visit) {
  visit(Sum{});
  visit(Extremum{});
  if constexpr (!std::signed_integral<T>) visit(Product{});
  if constexpr (std::unsigned_integral<T>) visit(Bitwise{});
}

constexpr bool is_extremum(Op op) { return op == Op::minimum || op == Op::maximum; }
constexpr bool is_bitwise(Op op) { return op == Op::bitwise_and || op == Op::bitwise_or || op == Op::bitwise_xor; }

/// Does F combine as `op` does?
template <class F>
constexpr bool combines(Op op) {
  if constexpr (std::is_same_v<F, Extremum>) return is_extremum(op);
  if constexpr (std::is_same_v<F, Bitwise>) return is_bitwise(op);
  if constexpr (std::is_same_v<F, Sum>) return op == Op::sum || op == Op::average || op == Op::premultiplied_sum;
  if constexpr (std::is_same_v<F, Product>) return op == Op::product;
}

/// Puts the function object that `op` stands for, or any other, where the kernel finds it.
template <class F>
void put_function(Arguments& call, const F& function) {
  static_assert(sizeof call.op >= sizeof function && std::is_trivially_copyable_v<F>);
  std::memcpy(call.op, &function, sizeof function);
}
inline void put_operator(Arguments& call, Op op) {
  call.averages = op == Op::average;
  call.scales = op == Op::premultiplied_sum;
  if (is_extremum(op)) put_function(call, Extremum{op == Op::maximum});
  if (is_bitwise(op)) {
    put_function(call,
                 Bitwise{op == Op::bitwise_xor ? 0 : ~std::uint64_t{0}, op == Op::bitwise_and ? 0 : ~std::uint64_t{0}});
  }
}

/// Does an operator do the same to signed integers as to unsigned ones?
constexpr bool ignores_sign(Op op) { return op == Op::product || is_bitwise(op); }

/// `make.template operator()<T, F>()` for the function object that combines elements of T by `op`; `none` where there is
/// no such kernel.
template <class T, class Result, class Make>
constexpr Result kernel_of(Op op, Result none, Make&& make) {
  if constexpr (std::signed_integral<T>) {
    if (ignores_sign(op)) return kernel_of<std::make_unsigned_t<T>>(op, none, make);
  }
  Result result = none;
  for_each_operator<T>([&](auto f) {
    if (combines<decltype(f)>(op)) result = make.template operator()<T, decltype(f)>();
  });
  return result;
}

}  // namespace tutti::kernels
