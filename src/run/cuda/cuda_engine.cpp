#include "run/cuda/cuda_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/chunk.hpp"
#include "kernels/operators.hpp"
#include "run/device/stream_operation.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cuda {

using device::check;
using device::cuda_runtime;
using device::StreamOperation;

namespace {

constexpr std::size_t bytes_worth_a_channel = 16 << 10;
constexpr auto goodbye = std::chrono::seconds(5);  // for the last calls of a communicator that nobody uses any more

/// Of one uneven collective: two tables.
constexpr std::size_t table_bytes(int ranks) { return 2 * (static_cast<std::size_t>(ranks) + 1) * sizeof(std::size_t); }

/// Sends to and receives from the nearest ranks first, so that all ranks' meet in the same order.
void by_distance(std::vector<StreamOperation*>& operations, int rank, int ranks) {
  const auto distance = [rank, ranks](const StreamOperation* each) {
    const int away = each->request().root - rank;
    return ((each->request().collective == Collective::send ? away : -away) + ranks) % ranks;
  };
  std::stable_sort(operations.begin(), operations.end(),
                   [&](const auto* a, const auto* b) { return distance(a) < distance(b); });
}

}  // namespace

CudaEngine::CudaEngine(Parts parts, ProgressLoop& loop, Settings settings)
    : StreamEngine(loop, std::move(settings)),
      parts_(std::move(parts)),
      outcomes_(this->settings().device),
      tables_(this->settings().device, Outcomes::most * table_bytes(this->settings().ranks)),
      sends_(this->settings().device),
      receives_(this->settings().device),
      turn_(this->settings().device) {}

CudaEngine::~CudaEngine() {
  const auto deadline = std::chrono::steady_clock::now() + goodbye;
  try {
    const device::OnDevice here(settings().device);
    while (!turn_.reached({})) {
      if (std::chrono::steady_clock::now() > deadline || others_are_gone()) outcomes_.abort();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (const std::exception&) {  // the device is lost: nothing runs there
    outcomes_.abort();
  }
}

bool CudaEngine::others_are_gone() const noexcept {
  try {
    settings().look({});
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

void CudaEngine::put(std::span<StreamOperation* const> operations) {
  const device::OnDevice here(settings().device);
  expect_sound_graphs();
  if (operations.size() == 1) return put_in_turn(*operations[0]);
  put_together(operations);
}

/// Nobody waits for a call in a graph: the next call of the communicator says what became of it.
void CudaEngine::expect_sound_graphs() const {
  const kernels::Outcome outcome = outcomes_.read(Outcomes::most);
  if (outcome.failure == 0) return;
  throw Error(Code::aborted, fmt::format("a call in a graph has failed, in step {}", outcome.step),
              {.rank = settings().rank,
               .engine = settings().name,
               .peer = static_cast<int>(outcome.peer),
               .remedy = "make a new communicator, and capture again"});
}

void CudaEngine::put_in_turn(StreamOperation& operation) {
  const bool captured = device::is_capturing(operation.stream());
  if (!captured) turn_.before(operation.stream());
  launch(operation, operation.stream());
  if (!captured) turn_.record(operation.stream());
}

/// Collectives in their order; then sends on one stream beside receives on another.
void CudaEngine::put_together(std::span<StreamOperation* const> operations) {
  std::vector<StreamOperation*> sends, receives;
  for (StreamOperation* const operation : operations) {
    switch (operation->request().collective) {
      case Collective::send:
        sends.push_back(operation);
        break;
      case Collective::recv:
        receives.push_back(operation);
        break;
      default:
        put_in_turn(*operation);
    }
  }
  if (sends.empty() && receives.empty()) return;
  if (!sends.empty() && !receives.empty() && parts_.connections < 2) {
    throw Error(Code::unsupported, "CUDA_DEVICE_MAX_CONNECTIONS is 1, so receives would wait for the end of sends",
                {.rank = settings().rank,
                 .operation = "a group of calls",
                 .engine = settings().name,
                 .remedy = "set it to 2 or more, or use the engine nccl"});
  }
  const bool captured = device::is_capturing((sends.empty() ? receives : sends).front()->stream());
  struct Lane {
    std::vector<StreamOperation*>& calls;
    Stream stream;
  };
  const Lane lanes[] = {{sends, sends_.stream()}, {receives, receives_.stream()}};
  for (const Lane& lane : lanes) {
    by_distance(lane.calls, settings().rank, settings().ranks);
    for (StreamOperation* const operation : lane.calls) {
      operation->mark(operation->stream());
      operation->after_mark(lane.stream);
    }
    if (!captured && !lane.calls.empty()) turn_.before(lane.stream);
  }
  for (const Lane& lane : lanes) {
    for (StreamOperation* const operation : lane.calls) {
      launch(*operation, lane.stream);
      operation->mark(lane.stream);
    }
  }
  for (const Lane& lane : lanes) {
    for (StreamOperation* const operation : lane.calls) operation->after_mark(operation->stream());
  }
  if (captured) return;
  if (!sends.empty() && !receives.empty()) sends.back()->after_mark(receives_.stream());
  turn_.record(receives.empty() ? sends_.stream() : receives_.stream());
}

/// The tables of an uneven collective go into memory of the host that the kernel reads, the operation's own: it is not used
/// again before its stream has come past it.
plan::LayoutView CudaEngine::on_device(const plan::Layout& layout, const StreamOperation& operation) {
  if (layout.begins() == nullptr) return layout;
  const std::size_t bytes = table_bytes(settings().ranks) / 2;
  auto table = [&, at = 2 * bytes * operation.index()](const std::size_t* begins) mutable -> const std::size_t* {
    if (begins == nullptr) return nullptr;
    std::memcpy(tables_.data() + at, begins, bytes);
    return reinterpret_cast<const std::size_t*>(tables_.on_device() + std::exchange(at, at + bytes));
  };
  const std::size_t* const begins = table(layout.begins());
  return layout.with_tables(begins, table(layout.receive_begins()));
}

void CudaEngine::launch(StreamOperation& operation, Stream stream) {
  const Request& request = operation.request();
  const bool captured = device::is_capturing(operation.stream());
  const bool packets = operation.decision().protocol == Protocol::packet;
  const kernels::WireShape& shape = parts_.wires->shape();
  const std::size_t slot = captured ? Outcomes::most : operation.index();
  if (slot > Outcomes::most || (slot == Outcomes::most && !captured)) {
    throw Error(Code::resource, fmt::format("{} calls are in progress at once", Outcomes::most), operation.context());
  }

  kernels::Arguments call;
  call.schedule = {request.collective, operation.decision().algorithm, false, settings().ranks, request.root};
  const plan::Layout layout(call.schedule, settings().rank, request.count, request.element_size, request.counts,
                            request.receive_counts);
  const std::size_t scratch_bytes = layout.scratch_elements() * request.element_size;
  if (captured && (layout.begins() != nullptr || scratch_bytes != 0)) {
    Context where = operation.context();
    where.remedy = "leave uneven collectives out of graphs, and the algorithm automatic";
    throw Error(Code::unsupported, "its graph would need memory of its own", where);
  }
  call.shape = shape;
  call.rank = settings().rank;
  const std::size_t bytes = layout.longest() * request.element_size;
  const auto worth = request.collective == Collective::all_to_all_v ? static_cast<std::size_t>(parts_.channels)
                                                                    : bytes / bytes_worth_a_channel + 1;
  const int room = std::min(parts_.channels, std::max(1, parts_.blocks / plan::lanes(call.schedule)));
  call.channels = static_cast<int>(std::min(worth, static_cast<std::size_t>(room)));
  call.wires = parts_.wires->table();
  call.in = static_cast<const std::byte*>(request.in);
  call.out = static_cast<std::byte*>(request.out);
  call.element_size = request.element_size;
  call.chunk = kernels::chunk_of(call.schedule, layout, shape, call.channels, packets, request.element_size);
  call.rounds = plan::rounds(layout, call.chunk);
  const Op op = reduces(request.collective) ? request.op.kind : Op::none;
  kernels::put_operator(call, op);
  call.factor = op == Op::premultiplied_sum ? request.op.scale() : 1;
  call.abort = outcomes_.abort_on_device();
  call.timeout = static_cast<std::uint64_t>(std::chrono::nanoseconds(operation.timeout()).count());
  call.outcome = outcomes_.on_device(slot);
  if (!captured) outcomes_.clear(slot);
  const plan::LayoutView view = on_device(layout, operation);
  call.layout = view;
  if (scratch_bytes != 0) {
    auto scratch = std::make_unique<device::StreamScratch>(scratch_bytes + 16, operation.stream());
    call.scratch = scratch->data();
    operation.keep(std::move(scratch));
  }

  const kernels::Kernel kernel = parts_.kernels.kernel_for(op == Op::none ? DataType::uint8 : request.type, op);
  void* arguments[] = {&call};
  const device::Dim3 grid{static_cast<unsigned>(call.channels), static_cast<unsigned>(plan::lanes(call.schedule)), 1};
  const device::Dim3 block{static_cast<unsigned>(parts_.threads), 1, 1};
  const void* const function = packets ? kernel.packets : kernel.slots;
  const device::CudaCalls& calls = cuda_runtime().calls;
  // All blocks of a call wait for one another's peers, so all must run at once. Sends and receives of a group are two
  // kernels at once, which cooperative launches may not be; they are few blocks.
  const bool pairwise = is_pairwise(request.collective);
  check(pairwise ? calls.cudaLaunchKernel(function, grid, block, arguments, 0, stream.handle)
                 : calls.cudaLaunchCooperativeKernel(function, grid, block, arguments, 0, stream.handle),
        "the launch of a kernel", operation.context());
}

void CudaEngine::expect_done(const StreamOperation& operation) const {
  const kernels::Outcome outcome = outcomes_.read(operation.index());
  if (outcome.failure == 0) return;
  Context where = operation.context();
  where.peer = static_cast<int>(outcome.peer);
  switch (static_cast<kernels::Failure>(outcome.failure)) {
    case kernels::Failure::timeout:
      std::rethrow_exception(late(fmt::format("step {} of lane {} on the device", outcome.step, outcome.lane),
                                  where.peer, operation.timeout(), where));
    case kernels::Failure::aborted:
      where.peer = -1;
      settings().look(where);  // who began it
      throw Error(Code::aborted, fmt::format("it was given up while it waited for rank {}", outcome.peer), where);
    default:
      where.peer = -1;
      throw Error(Code::aborted, "an earlier call of this communicator has failed", where);
  }
}

}  // namespace tutti::cuda
