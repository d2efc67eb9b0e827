/// @file  Engine: something that can run a decided request.
#pragma once

#include <memory>

#include "choose/choose.hpp"
#include "run/operation.hpp"
#include "tutti/base/request.hpp"
#include "tutti/choose/decision.hpp"

namespace tutti {

/// What an engine worked out for a call and can use again for calls like it: those that differ in buffers only.
class Preparation {
 public:
  virtual ~Preparation() = default;
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  int users = 0;  ///< operations in progress that read it; counted by the engine

 protected:
  Preparation() = default;
};

class Engine {
 public:
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Begins a valid request and takes its first steps. The operation belongs to the engine and is valid until released.
  /// `memory`, when there is one, is where preparations for such calls are kept: empty at the first of them.
  /// The caller holds the progress loop's guard.
  virtual Operation& run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) = 0;

  /// The runs until `group_ends` must not wait for one another. They are complete only then.
  virtual void group_begins() {}
  virtual void group_ends() {}

  /// Makes every call on every rank fail from now on. Any thread.
  virtual void abort() noexcept = 0;

  /// Facts change when the communicator allocates; under the guard too.
  virtual void set_facts(const Facts&) {}

 protected:
  Engine() = default;
};

}  // namespace tutti
