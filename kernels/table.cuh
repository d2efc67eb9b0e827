/// @file  Makes the kernels of a type, by asking for their addresses.
#pragma once

#include "kernels/collective.cuh"
#include "kernels/operators.hpp"
#include "kernels/table.hpp"

namespace tutti::kernels {

struct KernelMaker {
  template <class T, class F>
  Kernel operator()() const {
    return {reinterpret_cast<const void*>(&collective<T, F, false>),
            reinterpret_cast<const void*>(&collective<T, F, true>)};
  }
};

template <class T>
Kernel kernel_of_type(Op op) {
  return kernel_of<T>(op, Kernel{}, KernelMaker{});
}

}  // namespace tutti::kernels
