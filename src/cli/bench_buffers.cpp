#include "cli/bench_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::bench {

namespace {

constexpr std::size_t page = 4096;

std::shared_ptr<std::byte> own(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
  if (memory == nullptr) {
    throw Error(Code::resource, fmt::format("no memory for a buffer of {}", format_bytes(bytes)),
                {.operation = "bench", .remedy = "use a smaller --max or fewer ranks"});
  }
  return {memory, [](std::byte* data) { std::free(data); }};
}

std::shared_ptr<std::byte> shared(Communicator& communicator, std::size_t bytes) {
  const Buffer<unsigned char> buffer = communicator.allocate<unsigned char>(bytes);
  auto* data = reinterpret_cast<std::byte*>(buffer.data());
  return {data, [buffer](std::byte*) {}};
}

}  // namespace

Buffers::Buffers(Communicator& communicator, BufferKind kind, std::size_t bytes) {
  bytes = std::max(bytes, page);
  in_ = kind == BufferKind::shared ? shared(communicator, bytes) : own(bytes);
  out_ = kind == BufferKind::shared ? shared(communicator, bytes) : own(bytes);
}

}  // namespace tutti::bench
