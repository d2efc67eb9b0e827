#include "cli/bench_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cli/bench_device.hpp"
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

void place_buffers(Call& call, const Buffers& buffers, int rank) {
  call.in = buffers.in();
  call.out = buffers.out();
  if (!call.in_place) return;
  call.in = buffers.out();
  const std::size_t part = call.extent.part_begin * size_of(call.type);
  switch (call.collective) {
    case Collective::all_gather:
    case Collective::all_gather_v:
      call.in += part;
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      call.out += part;
      break;
    case Collective::gather:
      if (rank == call.root) call.in += part;
      break;
    case Collective::scatter:
      if (rank == call.root) call.out += part;
      break;
    default:
      break;
  }
}

Buffers::Buffers(int device, std::size_t bytes)
    : in_(device_memory(device, std::max(bytes, page))), out_(device_memory(device, std::max(bytes, page))) {}

}  // namespace tutti::bench
