/// @file  The kernels of the library, compiled for host threads.
#pragma once

#include "kernels/host_crew.hpp"
#include "kernels/lane.hpp"
#include "kernels/operators.hpp"
#include "tutti/base/types.hpp"

namespace tutti::kernels::test {

/// Op::none: data only moves. Null where there is no such kernel.
HostKernel host_kernel(DataType type, Op op, bool packets);

template <class T, class F>
HostKernel host_kernel_of(bool packets) {
  return packets ? &play_lane<T, F, true, HostCrew> : &play_lane<T, F, false, HostCrew>;
}

struct HostKernelMaker {
  bool packets;
  template <class T, class F>
  HostKernel operator()() const {
    return host_kernel_of<T, F>(packets);
  }
};
template <class T>
HostKernel host_kernel_of(Op op, bool packets) {
  return kernel_of<T>(op, HostKernel{nullptr}, HostKernelMaker{packets});
}

HostKernel integer_kernel(DataType type, Op op, bool packets);
HostKernel float_kernel(DataType type, Op op, bool packets);

}  // namespace tutti::kernels::test
