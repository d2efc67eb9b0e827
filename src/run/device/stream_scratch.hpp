/// @file  StreamScratch: device memory of a call's own, in the order of its stream.
#pragma once

#include <cstddef>

#include "tutti/base/stream.hpp"

namespace tutti::device {

/// The current device is the stream's, when it is made and when it goes.
class StreamScratch {
 public:
  StreamScratch(std::size_t bytes, Stream stream);
  ~StreamScratch();
  StreamScratch(const StreamScratch&) = delete;
  StreamScratch& operator=(const StreamScratch&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  Stream stream_{};
};

}  // namespace tutti::device
