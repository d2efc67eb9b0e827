/// @file  The choice for buffers in device memory, and what NCCL of each version can.
#include <fmt/format.h>

#include <algorithm>

#include "choose/choose.hpp"
#include "tutti/base/error.hpp"
#include "tutti/plan/schedule.hpp"

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
Decision through_nccl(const Request& request, const DeviceFacts& device) {
  const int version = device.nccl_version;
  if (version == 0) refuse(request, device.no_nccl, "leave the backend automatic, or use buffers in host memory");
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

/// Where one way overtakes the other on devices of one host, in bytes of what one rank contributes or receives. Seeds from
/// published measurements of like kernels (docs/choice.md): none of ours exists.
struct DeviceCrossovers {
  std::size_t packet = 32 << 10;          ///< beyond, twice the bytes cost more than a second trip
  std::size_t chain_broadcast = 1 << 20;  ///< beyond, the root shares the copying with the others
  static std::size_t one_shot_all_reduce(int ranks) {
    return std::size_t{ranks <= 2 ? 64U : ranks <= 4 ? 32U : 16U} << 10;
  }
  /// Beyond, NCCL has more bandwidth.
  static std::size_t nccl_all_reduce(int ranks) { return ranks <= 2 ? 8 << 20 : ranks <= 4 ? 512 << 10 : 256 << 10; }
};
constexpr DeviceCrossovers on_devices;

Algorithm cheapest(const Request& request, int ranks, std::size_t bytes) {
  switch (request.collective) {
    case Collective::all_reduce:
      return bytes <= DeviceCrossovers::one_shot_all_reduce(ranks) ? Algorithm::one_shot : Algorithm::two_shot;
    case Collective::broadcast:
    case Collective::reduce:
      return ranks > 2 && bytes >= on_devices.chain_broadcast ? Algorithm::two_shot : Algorithm::one_shot;
    default:
      return Algorithm::one_shot;
  }
}

/// Why tutti's kernels cannot run it; nullptr: they can.
const char* kernels_lack(const Request& request) {
  if (request.options.protocol == Protocol::window) return "there are no windows in device memory";
  if (!reduces(request.collective)) return nullptr;
  if (request.op.kind == Op::user) return "an operator of a program's own runs on the host";
  return nullptr;
}

Decision through_kernels(const Request& request, const Facts& facts) {
  if (facts.device.packet_bytes == 0) {
    refuse(request, facts.device.no_cuda, "leave the backend automatic, or use buffers in host memory");
  }
  if (const char* reason = kernels_lack(request)) {
    refuse(request, reason, "use buffers in host memory for it; docs/cuda.md lists what the kernels can");
  }
  const std::size_t bytes = comparable_bytes(request);
  Decision decision{.backend = Backend::cuda, .protocol = request.options.protocol};
  decision.algorithm = settled_algorithm(request, facts.ranks, cheapest(request, facts.ranks, bytes));
  const auto blocks = static_cast<std::size_t>(plan::blocks_per_step(
      {.collective = request.collective, .algorithm = decision.algorithm, .size = facts.ranks, .root = request.root}));
  if (decision.protocol == Protocol::automatic) {
    const bool fits = blocks * request.element_size <= facts.device.packet_bytes;
    decision.protocol = bytes <= on_devices.packet && fits ? Protocol::packet : Protocol::fifo;
  }
  const bool packet = decision.protocol == Protocol::packet;
  expect_room(request, facts.ranks, decision.algorithm, packet ? facts.device.packet_bytes : facts.device.fifo_bytes);
  return decision;
}

/// NCCL where it can and has more bandwidth; tutti's kernels where they are quicker, or alone can.
bool kernels_come_first(const Request& request, const Facts& facts) {
  const DeviceFacts& device = facts.device;
  if (device.packet_bytes == 0 || kernels_lack(request) != nullptr) return false;
  if (device.nccl_version == 0 || request.options.deterministic) return true;
  if (request.options.algorithm != Algorithm::automatic || request.options.protocol != Protocol::automatic) return true;
  if (reduces(request.collective) && nccl_lacks(request, device.nccl_version) != nullptr) return true;
  const std::size_t bytes = comparable_bytes(request);
  return request.collective == Collective::all_reduce ? bytes <= DeviceCrossovers::nccl_all_reduce(facts.ranks)
                                                      : bytes <= on_devices.packet && !is_pairwise(request.collective);
}

}  // namespace

Decision decide_on_device(const Request& request, const Facts& facts) {
  const DeviceFacts& device = facts.device;
  if (device.nccl_version == 0 && device.packet_bytes == 0) {
    refuse(request,
           device.no_nccl.empty() ? "its buffers are in device memory, and no engine here reaches that"
                                  : fmt::format("{}; and {}", device.no_nccl, device.no_cuda),
           device.remedy.empty() ? "copy them to host memory and pass on_host" : device.remedy.c_str());
  }
  switch (request.options.backend) {
    case Backend::automatic:
      return kernels_come_first(request, facts) ? through_kernels(request, facts) : through_nccl(request, facts.device);
    case Backend::cuda:
      return through_kernels(request, facts);
    case Backend::nccl:
      return through_nccl(request, facts.device);
    default:
      refuse(request, fmt::format("there is no {} engine for buffers in device memory", name(request.options.backend)),
             "leave the backend automatic");
  }
}

}  // namespace tutti
