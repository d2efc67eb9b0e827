/// @file  CallMemory: what was decided and worked out for a call, kept for the next one like it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "run/engine.hpp"
#include "run/shape.hpp"
#include "tutti/base/request.hpp"
#include "tutti/choose/decision.hpp"

namespace tutti {

/// Everything about a call that its checks, its decision and its schedule depend on, except for where its buffers are.
struct CallKey {
  std::uint64_t words[5];

  explicit CallKey(const Request& request)
      : words{load<std::uint32_t>(&request.options.algorithm) |
                  std::uint64_t{load<std::uint16_t>(&request.collective)} << 32 |
                  std::uint64_t{load<std::uint16_t>(&request.op.kind)} << 48,
              static_cast<std::uint64_t>(request.element_size) | static_cast<std::uint64_t>(request.memory) << 16 |
                  std::uint64_t{static_cast<std::uint32_t>(request.root)} << 32,
              request.count, request.in_count, request.out_count} {
    // Neighbours that are read together.
    static_assert(offsetof(Options, protocol) == offsetof(Options, algorithm) + 1 &&
                  offsetof(Options, backend) == offsetof(Options, algorithm) + 2 &&
                  offsetof(Options, deterministic) == offsetof(Options, algorithm) + 3);
    static_assert(offsetof(Request, type) == offsetof(Request, collective) + 1);
    static_assert(offsetof(ReduceOp, commutative) == offsetof(ReduceOp, kind) + 1);
  }

  bool operator==(const CallKey&) const = default;
  /// A few bits of it, well mixed.
  std::size_t hash() const {
    return ((words[0] ^ words[1]) * 0x9e3779b97f4a7c15ULL + words[2] * 0xc2b2ae3d27d4eb4fULL) >> 56;
  }

 private:
  template <class T>
  static T load(const void* first) {
    T value;
    std::memcpy(&value, first, sizeof value);
    return value;
  }
};

/// What is known of calls with one key.
struct Remembered {
  CallKey key;
  Shape shape;
  Decision decision;
  std::unique_ptr<Preparation> preparation;  ///< the engine's own; made by its first run
};

/// A small table; an entry gives way to another with the same hash, unless a call in progress uses it.
class CallMemory {
 public:
  /// The entry for calls like this one; null when there is none.
  Remembered* find(const CallKey& key) {
    Remembered* entry = entries_[key.hash() % entries_.size()].get();
    return entry != nullptr && entry->key == key ? entry : nullptr;
  }
  /// Room for it; null when it would have to take that of a call in progress.
  Remembered* remember(const CallKey& key, const Shape& shape, const Decision& decision) {
    std::unique_ptr<Remembered>& entry = entries_[key.hash() % entries_.size()];
    if (entry != nullptr && in_use(*entry)) return nullptr;
    entry = std::make_unique<Remembered>(Remembered{key, shape, decision, nullptr});
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
