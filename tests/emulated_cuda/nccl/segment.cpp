#include "emulated_cuda/nccl/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

namespace tutti::emulated_nccl {

namespace {

SegmentLayout* map_layout(int descriptor) {
  void* memory = mmap(nullptr, sizeof(SegmentLayout), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<SegmentLayout*>(memory);
}

}  // namespace

std::shared_ptr<Segment> Segment::make() {
  const int descriptor = memfd_create("emulated-nccl", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, sizeof(SegmentLayout)) != 0) return nullptr;
  SegmentLayout* layout = map_layout(descriptor);
  return layout == nullptr ? nullptr : std::shared_ptr<Segment>(new Segment(descriptor, layout));
}

std::shared_ptr<Segment> Segment::open(SegmentName name) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", name.process, name.descriptor);
  const int descriptor = ::open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  SegmentLayout* layout = map_layout(descriptor);
  return layout == nullptr ? nullptr : std::shared_ptr<Segment>(new Segment(descriptor, layout));
}

Segment::~Segment() {
  munmap(layout_, sizeof(SegmentLayout));
  close(descriptor_);
}

SegmentName Segment::name() const { return {getpid(), descriptor_}; }

}  // namespace tutti::emulated_nccl
