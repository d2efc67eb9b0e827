#include "run/cuda/wire_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/chunk.hpp"
#include "kernels/launch.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cuda {

namespace {

constexpr std::size_t most_slot = 128 << 10, most_packet = 16 << 10;

}  // namespace

void expect_sound(const CudaSettings& settings) {
  const auto refuse = [](const std::string& what, const char* remedy) {
    throw Error(Code::invalid_argument, what, {.remedy = remedy});
  };
  if (settings.channels < 1 || settings.channels > 64) {
    refuse(fmt::format("CudaSettings::channels is {}", settings.channels), "use 1 to 64");
  }
  if (settings.threads < 32 || settings.threads > kernels::most_threads || settings.threads % 32 != 0) {
    refuse(fmt::format("CudaSettings::threads is {}", settings.threads), "use a multiple of 32, up to 512");
  }
}

kernels::WireShape wire_shape(int ranks, const CudaSettings& settings) {
  kernels::WireShape shape{.ranks = ranks, .channels = settings.channels};
  const auto ends = static_cast<std::size_t>(settings.channels) * static_cast<std::size_t>(ranks) *
                    static_cast<std::size_t>(kernels::WireShape::wires);
  const std::size_t least = std::max<std::size_t>(kernels::least_capacity(ranks), 512);
  const std::size_t each = settings.wire_bytes / ends;  // of which packets take half, and carry half of that
  const auto share = [least](std::size_t bytes, std::size_t most) {
    return static_cast<std::uint32_t>(std::clamp(bytes, least, most) / 16 * 16);
  };
  shape.slot_bytes = share(each / 2 / shape.slots, most_slot);
  shape.packet_bytes = share(each / 4 / shape.packet_slots, most_packet);
  return shape;
}

}  // namespace tutti::cuda
