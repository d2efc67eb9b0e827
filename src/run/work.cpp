#include "tutti/run/work.hpp"

#include <exception>
#include <utility>

#include "run/operation.hpp"
#include "run/progress_loop.hpp"

namespace tutti {

Work& Work::operator=(Work&& other) noexcept {
  if (this != &other) {
    finish();
    operation_ = std::move(other.operation_);
    parts_ = std::move(other.parts_);
  }
  return *this;
}

Work::~Work() { finish(); }

void Work::finish() noexcept {
  if (operation_ != nullptr) {
    operation_->loop().finish(*operation_, ProgressLoop::Ending::dropped);
    operation_.reset();
  }
  if (parts_ != nullptr) parts_.reset();
}

void Work::wait() {
  std::exception_ptr error;
  if (operation_ != nullptr) {
    error = operation_->loop().finish(*operation_, ProgressLoop::Ending::seen);
    operation_.reset();
  }
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

bool Work::done() {
  if (operation_ != nullptr) {
    operation_->loop().poll();
    if (!operation_->finished()) return false;
  }
  bool all = true;
  if (parts_ != nullptr) {
    for (Work& part : *parts_) all = part.done() && all;
  }
  return all;
}

}  // namespace tutti
