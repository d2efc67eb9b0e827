/// @file  The one macro of the library: functions that compile for the host and, under nvcc, for the device.
#pragma once

#ifdef __CUDACC__
#define TUTTI_HOST_DEVICE __host__ __device__
#else
#define TUTTI_HOST_DEVICE
#endif

namespace tutti {

/// True in translation units compiled by nvcc. A defaulted template parameter carries it, so that one
/// template compiled both ways has two names and never one name with two bodies.
#ifdef __CUDACC__
inline constexpr bool compiled_for_device = true;
#else
inline constexpr bool compiled_for_device = false;
#endif

}  // namespace tutti
