/// @file  Recipe: a call between hosts as rounds of stages, each on this host, through the network, or at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "run/host/host_preparation.hpp"
#include "run/host/reduce.hpp"
#include "run/two_level/staging.hpp"
#include "tutti/base/request.hpp"
#include "tutti/bootstrap/network.hpp"

namespace tutti::two_level {

/// A schedule of this host's ranks.
struct Local {
  host::HostPreparation* plan;
  const void* in;
  void* out;
  const ReduceOp* op;
};

/// A call of the network.
struct Remote {
  Network* network;
  Request request;
  host::Loop loop = nullptr;
};

/// What a stage leaves to be waited for.
using Action = std::variant<std::monostate, Local, Remote>;

/// Every round goes through all stages in order. The ranks of a host take local stages in one order, those of a network
/// its calls in one order, and while a call is with the network, the stages of the next round go on.
class Recipe {
 public:
  virtual ~Recipe() = default;
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;

  int stages() const { return static_cast<int>(remote_.size()); }
  int rounds() const { return rounds_; }
  /// Rounds that a stage comes behind the first one: one more after each call of the network.
  int lag(int stage) const;
  /// Rounds that are under way at once.
  int depth() const { return lag(stages() - 1) + 1; }

  /// Does what can be done at once. What it has returned for the stage before, and for this stage of the round before,
  /// is finished.
  virtual Action act(int round, int stage) = 0;

  /// What calls of the network use.
  const Staging::Buffer& staging() const { return staging_; }

 protected:
  /// remote[s]: may stage s be a call of the network? Not the last one.
  Recipe(std::span<const bool> remote, std::size_t rounds) : remote_(remote), rounds_(static_cast<int>(rounds)) {}

  /// Room for `bytes` in each of the rounds under way.
  void stage_in(Staging& staging, std::size_t bytes);
  std::byte* slot(int round) const { return staging_.get() + static_cast<std::size_t>(round % depth()) * stride_; }

 private:
  std::span<const bool> remote_;
  int rounds_;
  Staging::Buffer staging_;
  std::size_t stride_ = 0;
};

}  // namespace tutti::two_level
