/// @file  CallMemory: what was decided and worked out for a call, kept for the next one like it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "run/engine.hpp"
#include "run/shape.hpp"
#include "tutti/base/request.hpp"
#include "tutti/choose/decision.hpp"

namespace tutti {

/// Everything about a call that its checks, its decision and its schedule depend on, except for where its buffers are and
/// for which operator of a user's it has.
class CallKey {
 public:
  explicit CallKey(const Request& request)
      : collective_(request.collective),
        type_(request.type),
        memory_(request.memory),
        op_(request.op.kind),
        commutative_(request.op.commutative),
        options_(request.options),
        element_size_(request.element_size),
        root_(request.root),
        count_(request.count),
        in_count_(request.in_count),
        out_count_(request.out_count) {}

  /// Field by field, each read as wide as it is written: a call has just been put together when it is looked up, and a
  /// wider load would have to wait for the narrow stores.
  bool operator()(const Request& request) const {
    const Options& options = request.options;
    return count_ == request.count && in_count_ == request.in_count && out_count_ == request.out_count &&
           collective_ == request.collective && type_ == request.type && op_ == request.op.kind &&
           element_size_ == request.element_size && root_ == request.root && memory_ == request.memory &&
           options_.algorithm == options.algorithm && options_.protocol == options.protocol &&
           options_.backend == options.backend && options_.deterministic == options.deterministic &&
           commutative_ == request.op.commutative;
  }
  /// Small and well mixed.
  static std::size_t hash(const Request& request) {
    const auto kind = static_cast<std::uint64_t>(request.collective) + 16 * static_cast<std::uint64_t>(request.type) +
                      256 * static_cast<std::uint64_t>(request.options.algorithm);
    return ((request.count + (kind << 40)) * 0x9e3779b97f4a7c15ULL) >> 56;
  }

 private:
  Collective collective_;
  DataType type_;
  Memory memory_;
  Op op_;
  bool commutative_;
  Options options_;
  std::size_t element_size_;
  int root_;
  std::size_t count_;
  std::size_t in_count_;
  std::size_t out_count_;
};

/// What is known of calls with one key.
struct Remembered {
  CallKey is_like;
  Shape shape;
  Decision decision;
  std::unique_ptr<Preparation> preparation;  ///< the engine's own; made by its first run
};

/// A small table; an entry gives way to another with the same hash, unless a call in progress uses it.
class CallMemory {
 public:
  /// The entry for calls like this one; null when there is none.
  Remembered* find(const Request& request) {
    Remembered* entry = entries_[CallKey::hash(request) % entries_.size()].get();
    return entry != nullptr && entry->is_like(request) ? entry : nullptr;
  }
  /// Room for it; null when it would have to take that of a call in progress.
  Remembered* remember(const Request& request, const Shape& shape, const Decision& decision) {
    std::unique_ptr<Remembered>& entry = entries_[CallKey::hash(request) % entries_.size()];
    if (entry != nullptr && in_use(*entry)) return nullptr;
    entry = std::make_unique<Remembered>(Remembered{CallKey(request), shape, decision, nullptr});
    return entry.get();
  }
  /// Forgets all decisions, since they may turn out otherwise now. Calls in progress go on with theirs.
  void clear() {
    std::erase_if(retired_, [](const auto& entry) { return !in_use(*entry); });
    for (std::unique_ptr<Remembered>& entry : entries_) {
      if (entry != nullptr && in_use(*entry)) retired_.push_back(std::move(entry));
      entry.reset();
    }
  }

 private:
  static bool in_use(const Remembered& entry) { return entry.preparation != nullptr && entry.preparation->users > 0; }

  std::array<std::unique_ptr<Remembered>, 64> entries_;
  std::vector<std::unique_ptr<Remembered>> retired_;  ///< forgotten while a call used them
};

}  // namespace tutti
