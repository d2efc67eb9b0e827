/// @file  Engine: something that can run a decided request.
#pragma once

#include "run/operation.hpp"
#include "tutti/base/request.hpp"
#include "tutti/choose/decision.hpp"

namespace tutti {

class Engine {
 public:
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Begins a valid request; the operation is in the progress loop, or already finished. It belongs to the
  /// engine and stays valid until it is released.
  virtual Operation& run(const Decision& decision, const Request& request) = 0;

 protected:
  Engine() = default;
};

}  // namespace tutti
