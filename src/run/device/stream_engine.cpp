#include "run/device/stream_engine.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "run/device/stream_operation.hpp"

namespace tutti::device {

StreamEngine::StreamEngine(ProgressLoop& loop, Settings settings)
    : loop_(loop), settings_(std::move(settings)), own_stream_(settings_.device) {}

StreamEngine::~StreamEngine() = default;

StreamOperation& StreamEngine::take(const Context& context) {
  if (idle_.empty() && operations_.size() >= most_in_progress()) wait_for_one_that_left(context);
  if (idle_.empty()) {
    operations_.push_back(std::make_unique<StreamOperation>(*this, operations_.size()));
    idle_.reserve(operations_.size());
    left_.reserve(operations_.size());
    grouped_.reserve(operations_.size());
    idle_.push_back(operations_.back().get());
  }
  return *idle_.back();
}

Operation& StreamEngine::run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>*) {
  if (trouble_.any()) trouble_.rethrow(settings_.rank);
  const Context context{.rank = settings_.rank, .operation = describe(request), .engine = settings_.name};
  settings_.look(context);
  forget_those_who_left();
  StreamOperation& operation = take(context);
  operation.begin(decision, request);
  if (!grouping_) {
    StreamOperation* const alone[] = {&operation};
    try {
      put(alone);
      operation.issued();
    } catch (const Error& error) {
      // A wrong argument harms nothing; whatever else goes wrong here keeps the others waiting.
      if (error.code() != Code::invalid_argument && error.code() != Code::unsupported) failed(std::current_exception());
      throw;
    }
  }
  idle_.pop_back();
  if (grouping_) grouped_.push_back(&operation);
  loop_.add(operation);
  return operation;
}

void StreamEngine::group_ends() {
  if (!std::exchange(grouping_, false)) return;
  const std::vector<StreamOperation*> together = std::exchange(grouped_, {});
  if (together.empty()) return;
  try {
    put(together);
    for (StreamOperation* operation : together) operation->issued();
  } catch (...) {
    failed(std::current_exception());
    throw;
  }
}

void StreamEngine::failed(const std::exception_ptr& error) noexcept {
  trouble_.poison(error);
  settings_.give_up();
  give_up();
}

/// Whoever puts more calls into streams than devices carry out waits here. Calls that somebody will wait for do not end.
void StreamEngine::wait_for_one_that_left(const Context& context) {
  const auto deadline = std::chrono::steady_clock::now() + settings_.timeout;
  while (idle_.empty() && !left_.empty()) {
    settings_.look(context);
    if (std::chrono::steady_clock::now() > deadline) {
      const std::exception_ptr error = late("the end of an earlier call", -1, settings_.timeout, context);
      failed(error);
      std::rethrow_exception(error);
    }
    std::this_thread::yield();
    forget_those_who_left();
  }
}

/// Oldest first, up to one that its stream has not come past: the others are likely behind it.
void StreamEngine::forget_those_who_left() {
  const auto first = std::find_if(left_.begin(), left_.end(), [](const auto* each) { return !each->passed(); });
  idle_.insert(idle_.end(), left_.begin(), first);
  left_.erase(left_.begin(), first);
}

}  // namespace tutti::device
