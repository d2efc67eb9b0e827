/// @file  Reporter: says now and then, through a Progress, what a start is waiting for.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "tutti/bootstrap/world.hpp"

namespace tutti {

/// Used by one thread. Time runs from its making.
class Reporter {
 public:
  explicit Reporter(Progress progress) : progress_(std::move(progress)), next_(begun_ + progress_.first) {}

  /// When the next line is due; never, when nobody listens.
  Store::Deadline next() const { return progress_.say ? next_ : Store::Deadline::max(); }

  /// Says what `line()` returns, if it is time.
  template <class Line>
  void maybe(Line line) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next()) return;
    progress_.say(line());
    next_ = now + progress_.every;
  }

  std::chrono::seconds waited() const {
    return std::chrono::round<std::chrono::seconds>(std::chrono::steady_clock::now() - begun_);
  }

 private:
  Progress progress_;
  Store::Deadline begun_ = std::chrono::steady_clock::now();
  Store::Deadline next_;
};

}  // namespace tutti
