/// @file  Recipe: a call between hosts as rounds of stages, each on this host, through the network, or at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>

#include "run/engine.hpp"
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

/// Which stages are the network's, of the usual kind: something here, something between hosts, something here.
inline constexpr bool here_network_here[] = {false, true, false};

/// Every round goes through all stages in order. The ranks of a host take local stages in one order, those of a network
/// its calls in one order, and while a call is with the network, the stages of the next round go on.
///
/// Kept for later calls of the same shape: what depends on buffers and on the operator itself comes with `begin`.
class Recipe : public Preparation {
 public:
  int stages() const { return static_cast<int>(remote_.size()); }
  int rounds() const { return rounds_; }
  /// Rounds that a stage comes behind the first one: one more after each call of the network.
  int lag(int stage) const;
  /// Rounds that are under way at once.
  int depth() const { return lag(stages() - 1) + 1; }

  /// A call begins, of the shape that this was made for, and lasts until `end`; so do the request, its buffers and its
  /// tables.
  void begin(const Request& request, Staging& staging);
  void end() noexcept { staging_.reset(); }

  /// Does what can be done at once. What it has returned for the stage before, and for this stage of the round before,
  /// is finished.
  virtual Action act(int round, int stage) = 0;

  /// What calls of the network use.
  const Staging::Buffer& staging() const { return staging_; }

 protected:
  /// remote[s]: may stage s be a call of the network? Not the last one.
  Recipe(std::span<const bool> remote, std::size_t rounds) : remote_(remote), rounds_(static_cast<int>(rounds)) {}

  /// There is to be room for `bytes` in each of the rounds under way.
  void stage_in(std::size_t bytes);
  std::byte* slot(int round) const { return staging_.get() + static_cast<std::size_t>(round % depth()) * stride_; }

  // ---- the call at hand ----
  const Request& call() const { return *call_; }
  const std::byte* in(std::size_t elements) const {
    return static_cast<const std::byte*>(call_->in) + elements * call_->element_size;
  }
  std::byte* out(std::size_t elements) const {
    return static_cast<std::byte*>(call_->out) + elements * call_->element_size;
  }
  host::Loop loop() const { return loop_; }
  /// The caller's operator as local stages apply it: they give the first touch, as they read the inputs; its last one
  /// comes when all is there.
  const ReduceOp& local_op() const { return local_op_; }
  /// The first and the last touch of the operator, on `count` elements. `from` may be `to`.
  void touch_first(const void* from, void* to, std::size_t count) const;
  void touch_last(const void* from, void* to, std::size_t count, int ranks) const;
  /// A call of the network with the type and operator of the call, without touches.
  Remote remote(Network* network, Collective collective, std::byte* from, std::byte* to, std::size_t count,
                int root = 0) const;

 private:
  std::span<const bool> remote_;
  int rounds_;
  std::size_t stride_ = 0;

  Staging::Buffer staging_;
  const Request* call_ = nullptr;
  host::Loop loop_ = nullptr;
  ReduceOp local_op_;
  ReduceOp network_op_;
  host::Loop network_loop_ = nullptr;
};

/// A stage of a call: same type, and same operator but for its last touch, with other buffers and counts.
Request derived(const Request& request, Collective collective, std::size_t count);

}  // namespace tutti::two_level
