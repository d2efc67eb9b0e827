#include "run/nccl/nccl_engine.hpp"

#include <algorithm>
#include <utility>

#include "run/nccl/nccl_calls.hpp"
#include "run/nccl/nccl_operation.hpp"

namespace tutti::nccl {

NcclEngine::NcclEngine(std::unique_ptr<NcclCommunicator> communicator, ProgressLoop& loop, Settings settings)
    : communicator_(std::move(communicator)),
      loop_(loop),
      settings_(std::move(settings)),
      own_stream_(communicator_->device()) {}

/// NCCL goes first: it ends what is still in the streams, whose marks the operations own.
NcclEngine::~NcclEngine() { communicator_.reset(); }

Operation& NcclEngine::run(const Decision&, const Request& request, std::unique_ptr<Preparation>*) {
  if (trouble_.any()) trouble_.rethrow(settings_.rank);
  settings_.look({.rank = settings_.rank, .operation = describe(request), .engine = "nccl"});
  forget_those_who_left();
  if (idle_.empty()) {
    operations_.push_back(std::make_unique<NcclOperation>(*this));
    idle_.reserve(operations_.size());
    left_.reserve(operations_.size());
    grouped_.reserve(operations_.size());
    idle_.push_back(operations_.back().get());
  }
  NcclOperation& operation = *idle_.back();
  operation.begin(request);
  try {
    const Calls& calls = communicator_->library().calls;
    if (!grouping_) communicator_->library().check(calls.GroupStart(), "ncclGroupStart");
    try {
      issue(operation);
    } catch (...) {
      if (!grouping_) calls.GroupEnd();
      throw;
    }
    if (!grouping_) {
      end_group(operation.timeout(), operation.context());
      operation.issued();
    }
  } catch (const Error& error) {
    // A wrong argument harms nothing; whatever else goes wrong here keeps the others waiting.
    if (error.code() != Code::invalid_argument && error.code() != Code::unsupported) failed(std::current_exception());
    throw;
  }
  idle_.pop_back();
  if (grouping_) grouped_.push_back(&operation);
  loop_.add(operation);
  return operation;
}

/// Returns when NCCL has put everything into the streams: what the caller puts there next comes behind it. That is soon, as
/// the device is not waited for; but a first call waits for the other ranks.
void NcclEngine::end_group(std::chrono::milliseconds timeout, const Context& context) {
  const Library& library = communicator_->library();
  library.check(library.calls.GroupEnd(), "ncclGroupEnd", communicator_->handle(), context);
  communicator_->settle(std::chrono::steady_clock::now() + timeout, context, [&] { settings_.look(context); });
}

void NcclEngine::issue(NcclOperation& operation) {
  Request request = operation.request();
  const device::OnDevice here(communicator_->device());
  if (const std::size_t bytes = copy_needed(request, settings_.ranks); bytes > 0) {
    auto scratch = std::make_unique<StreamScratch>(bytes, operation.stream());
    device::check(device::cuda_runtime().calls.cudaMemcpyAsync(scratch->data(), request.in, bytes,
                                                               device::cuda_memcpy_default, operation.stream().handle),
                  "cudaMemcpyAsync", operation.context());
    request.in = scratch->data();
    operation.keep(std::move(scratch));
  }
  nccl::issue(*communicator_, request, settings_.rank, settings_.ranks, operation.stream(), operation.context());
}

void NcclEngine::group_begins() {
  if (communicator_->aborted()) return;  // the calls themselves will say so
  communicator_->library().check(communicator_->library().calls.GroupStart(), "ncclGroupStart");
  grouping_ = true;
}

void NcclEngine::group_ends() {
  if (!std::exchange(grouping_, false)) return;
  const std::vector<NcclOperation*> together = std::exchange(grouped_, {});
  try {
    end_group(settings_.timeout, {.rank = settings_.rank, .operation = "a group of calls", .engine = "nccl"});
    for (NcclOperation* operation : together) operation->issued();
  } catch (...) {
    failed(std::current_exception());
    throw;
  }
}

void NcclEngine::failed(const std::exception_ptr& error) noexcept {
  trouble_.poison(error);
  settings_.give_up();
  communicator_->abort();
}

void NcclEngine::forget_those_who_left() {
  for (std::size_t i = 0; i < left_.size();) {
    if (left_[i]->passed()) {
      idle_.push_back(left_[i]);
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

}  // namespace tutti::nccl
