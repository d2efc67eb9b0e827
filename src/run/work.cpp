#include "tutti/run/work.hpp"

#include <exception>
#include <utility>

#include "run/keeper.hpp"
#include "run/operation.hpp"
#include "run/progress_loop.hpp"

namespace tutti {

Work::Work(Operation& operation, Keeper& keeper) : operation_(&operation), keeper_(&keeper) { keeper.hold(); }

Work& Work::operator=(Work&& other) noexcept {
  if (this != &other) {
    finish();
    operation_ = std::exchange(other.operation_, nullptr);
    keeper_ = other.keeper_;
    parts_ = std::move(other.parts_);
  }
  return *this;
}

Work::~Work() {
  if (operation_ != nullptr) [[unlikely]] {
    operation_->leave();
    end(false);
  }
}

/// Waits for the own operation and lets go of it and its communicator. Returns its error.
std::exception_ptr Work::end(bool seen) noexcept {
  Operation& operation = *std::exchange(operation_, nullptr);
  std::exception_ptr error;
  if (!operation.loop().finished_well(operation)) [[unlikely]] {
    error = operation.loop().finish(operation, seen ? ProgressLoop::Ending::seen : ProgressLoop::Ending::dropped);
  }
  keeper_->let_go();
  return error;
}

void Work::finish() noexcept {
  if (operation_ != nullptr) {
    operation_->leave();
    end(false);
  }
  if (parts_ != nullptr) parts_.reset();
}

void Work::wait() {
  if (operation_ != nullptr && parts_ == nullptr) [[likely]] {
    if (operation_->loop().finished_well(*operation_)) [[likely]] {
      operation_ = nullptr;
      return keeper_->let_go();
    }
  }
  std::exception_ptr error;
  if (operation_ != nullptr) error = end(true);
  if (parts_ != nullptr) [[unlikely]] {
    for (Work& part : *parts_) {
      try {
        part.wait();
      } catch (...) {
        if (error == nullptr) error = std::current_exception();
      }
    }
    parts_.reset();
  }
  if (error != nullptr) [[unlikely]]
    std::rethrow_exception(std::move(error));
}

void Work::before(Stream stream) const {
  if (operation_ != nullptr) operation_->before(stream);
  if (parts_ != nullptr) {
    for (const Work& part : *parts_) part.before(stream);
  }
}

bool Work::done() {
  if (operation_ != nullptr && !operation_->loop().poll(*operation_)) return false;
  bool all = true;
  if (parts_ != nullptr) {
    for (Work& part : *parts_) all = part.done() && all;
  }
  return all;
}

}  // namespace tutti
