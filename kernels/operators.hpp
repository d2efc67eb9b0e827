/// @file  The operators that kernels are made for, type by type: the one list that both compilers go by.
#pragma once

#include <concepts>
#include <type_traits>

#include "tutti/base/reduce_op.hpp"

namespace tutti::kernels {

/// Calls visit(F{}) for each function object that elements of T have a kernel for. An average and a premultiplied sum
/// are sums, with something done before or after; signed integers wrap as unsigned ones do, and use their product and
/// bitwise kernels.
template <class T, class Visit>
constexpr void for_each_operator(Visit&& visit) {
  visit(Sum{});
  visit(Minimum{});
  visit(Maximum{});
  if constexpr (!std::signed_integral<T>) visit(Product{});
  if constexpr (std::unsigned_integral<T>) {
    visit(BitwiseAnd{});
    visit(BitwiseOr{});
    visit(BitwiseXor{});
  }
}

/// Which of them combines as `op` does.
constexpr Op combining(Op op) { return op == Op::average || op == Op::premultiplied_sum ? Op::sum : op; }

/// Does an operator do the same to signed integers as to unsigned ones?
constexpr bool ignores_sign(Op op) {
  return op == Op::product || op == Op::bitwise_and || op == Op::bitwise_or || op == Op::bitwise_xor;
}

/// `make.template operator()<T, F>()` for the function object that combines elements of T by `op`; `none` where there is
/// no such kernel.
template <class T, class Result, class Make>
constexpr Result kernel_of(Op op, Result none, Make&& make) {
  if constexpr (std::signed_integral<T>) {
    if (ignores_sign(op)) return kernel_of<std::make_unsigned_t<T>>(op, none, make);
  }
  Result result = none;
  for_each_operator<T>([&](auto f) {
    if (decltype(f)::kind == combining(op)) result = make.template operator()<T, decltype(f)>();
  });
  return result;
}

}  // namespace tutti::kernels
