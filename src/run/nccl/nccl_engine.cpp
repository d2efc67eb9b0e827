#include "run/nccl/nccl_engine.hpp"

#include <algorithm>
#include <utility>

#include "run/device/stream_operation.hpp"
#include "run/nccl/nccl_calls.hpp"

namespace tutti::nccl {

NcclEngine::NcclEngine(std::unique_ptr<NcclCommunicator> communicator, ProgressLoop& loop, Settings settings)
    : StreamEngine(loop, std::move(settings)), communicator_(std::move(communicator)) {}

/// Returns when NCCL has put everything into the streams: what the caller puts there next comes behind it. That is soon, as
/// the device is not waited for; but a first call waits for the other ranks.
void NcclEngine::put(std::span<device::StreamOperation* const> operations) {
  const Library& library = communicator_->library();
  if (communicator_->aborted()) throw Error(Code::aborted, "an earlier call has failed", operations[0]->context());
  library.check(library.calls.GroupStart(), "ncclGroupStart");
  try {
    for (device::StreamOperation* const operation : operations) issue(*operation);
  } catch (...) {
    library.calls.GroupEnd();
    throw;
  }
  Context context = operations[0]->context();
  std::chrono::milliseconds timeout = operations[0]->timeout();
  if (operations.size() > 1) {
    context = {.rank = settings().rank, .operation = "a group of calls", .engine = settings().name};
    for (const device::StreamOperation* const each : operations) timeout = std::max(timeout, each->timeout());
  }
  library.check(library.calls.GroupEnd(), "ncclGroupEnd", communicator_->handle(), context);
  communicator_->settle(std::chrono::steady_clock::now() + timeout, context, [&] { settings().look(context); });
}

void NcclEngine::issue(device::StreamOperation& operation) {
  Request request = operation.request();
  const device::OnDevice here(communicator_->device());
  if (const std::size_t bytes = copy_needed(request, settings().ranks); bytes > 0) {
    auto scratch = std::make_unique<device::StreamScratch>(bytes, operation.stream());
    device::check(device::cuda_runtime().calls.cudaMemcpyAsync(scratch->data(), request.in, bytes,
                                                               device::cuda_memcpy_default, operation.stream().handle),
                  "cudaMemcpyAsync", operation.context());
    request.in = scratch->data();
    operation.keep(std::move(scratch));
  }
  nccl::issue(*communicator_, request, settings().rank, settings().ranks, operation.stream(), operation.context());
}

void NcclEngine::expect_sound(const device::StreamOperation& operation) const {
  communicator_->settled(operation.context());
}

/// Work that NCCL gave up is over on the device, too: NCCL alone knows that it came to nothing.
void NcclEngine::expect_done(const device::StreamOperation& operation) const {
  if (!communicator_->aborted()) communicator_->settled(operation.context());
}

}  // namespace tutti::nccl
