#include "run/device/stream_engine.hpp"

#include <utility>

#include "run/device/stream_operation.hpp"

namespace tutti::device {

StreamEngine::StreamEngine(ProgressLoop& loop, Settings settings)
    : loop_(loop), settings_(std::move(settings)), own_stream_(settings_.device) {}

StreamEngine::~StreamEngine() = default;

StreamOperation& StreamEngine::take() {
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
  settings_.look({.rank = settings_.rank, .operation = describe(request), .engine = settings_.name});
  forget_those_who_left();
  StreamOperation& operation = take();
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

void StreamEngine::forget_those_who_left() {
  for (std::size_t i = 0; i < left_.size();) {
    if (left_[i]->passed()) {
      idle_.push_back(left_[i]);
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

}  // namespace tutti::device
