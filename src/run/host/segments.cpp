#include "run/host/segments.hpp"

#include <fmt/format.h>

#include "tutti/base/error.hpp"

namespace tutti::host {

std::byte* Segments::allocate(const World& local, std::size_t bytes, Store::Deadline deadline) {
  Segment segment;
  segment.bytes = (bytes + 4095) / 4096 * 4096;
  for (int owner = 0; owner < local.size; ++owner) {
    const std::string key = fmt::format("segment/{}/{}", segments_.size(), owner);
    segment.parts.push_back(SharedMemory::open(local, owner, key, segment.bytes, deadline));
  }
  segments_.push_back(std::move(segment));
  return segments_.back().parts[static_cast<std::size_t>(rank_)]->data();
}

void Segments::release(const std::byte* data) {
  for (Segment& segment : segments_) {
    const SharedMemory& part = *segment.parts[static_cast<std::size_t>(rank_)];
    if (segment.released || part.data() != data) continue;
    part.discard();
    segment.released = true;
    return;
  }
}

std::optional<SegmentAddress> Segments::find(const void* data, std::size_t bytes) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  for (std::size_t i = segments_.size(); i-- > 0;) {
    const Segment& segment = segments_[i];
    if (segment.released) continue;
    const auto base = reinterpret_cast<std::uintptr_t>(segment.parts[static_cast<std::size_t>(rank_)]->data());
    if (begin >= base && begin - base <= segment.bytes && bytes <= segment.bytes - (begin - base)) {
      return SegmentAddress{static_cast<std::int32_t>(i), begin - base};
    }
  }
  return std::nullopt;
}

}  // namespace tutti::host
