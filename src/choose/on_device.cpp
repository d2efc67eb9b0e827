/// @file  The choice for buffers in device memory, and what NCCL of each version can.
#include <fmt/format.h>

#include "choose/choose.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

constexpr int nccl_2_10 = 21000, nccl_2_11 = 21100, nccl_2_24 = 22400;

/// Why NCCL of this version does not combine elements so, as the whole reason; null: it does.
const char* nccl_lacks(const Request& request, int version) {
  if (request.options.deterministic) {
    return "NCCL does not promise in which order it combines, so it cannot be deterministic";
  }
  switch (request.type) {
    case DataType::int16:
    case DataType::uint16:
      return "NCCL does not combine integers of 16 bits";
    case DataType::user:
      return "NCCL does not combine elements of a user's own";
    case DataType::bfloat16:
      if (version < nccl_2_10) return "NCCL combines bfloat16 since 2.10";
      break;
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
      if (version < nccl_2_24) return "NCCL combines 8-bit floats since 2.24";
      break;
    default:
      break;
  }
  switch (request.op.kind) {
    case Op::user:
      return "NCCL has no operators of a user's own";
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
      return "NCCL has no bitwise operators";
    case Op::average:
      return version < nccl_2_10 ? "NCCL has averages since 2.10" : nullptr;
    case Op::premultiplied_sum:
      if (version < nccl_2_11) return "NCCL has premultiplied sums since 2.11";
      return is_float(request.type) ? nullptr : "NCCL multiplies by an element, and a scale is no integer";
    default:
      return nullptr;
  }
}

/// NCCL chooses algorithm and protocol itself, for a whole communicator.
Decision through_nccl(const Request& request, int version) {
  if (request.options.algorithm != Algorithm::automatic || request.options.protocol != Protocol::automatic) {
    refuse(request, "NCCL is told algorithms and protocols for a whole communicator, not for a call",
           "leave them automatic; Config::nccl has `algorithms` and `protocols`");
  }
  if (reduces(request.collective)) {
    if (const char* reason = nccl_lacks(request, version)) {
      refuse(request, reason, "use buffers in host memory for it; docs/nccl.md lists what NCCL can");
    }
  }
  return {.backend = Backend::nccl, .algorithm = Algorithm::automatic, .protocol = Protocol::automatic};
}

}  // namespace

Decision decide_on_device(const Request& request, const Facts& facts) {
  if (facts.device.nccl_version == 0) {
    refuse(request, "its buffers are in device memory, and no engine here reaches that",
           "copy them to host memory and pass on_host");
  }
  switch (request.options.backend) {
    case Backend::automatic:
    case Backend::nccl:
      return through_nccl(request, facts.device.nccl_version);
    default:
      refuse(request, fmt::format("there is no {} engine for buffers in device memory", name(request.options.backend)),
             "leave the backend automatic");
  }
}

}  // namespace tutti
