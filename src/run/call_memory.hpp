/// @file  CallMemory: what was decided and worked out for a call, kept for the next one like it.
#pragma once

#include <array>
#include <cstdint>
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

  /// Neighbours in Request and its parts are neighbours here, so that they are read together.
  explicit CallKey(const Request& request)
      : words{byte(request.options.algorithm, 0) | byte(request.options.protocol, 1) |
                  byte(request.options.backend, 2) | byte(request.options.deterministic, 3) |
                  byte(request.collective, 4) | byte(request.type, 5) | byte(request.op.kind, 6) |
                  byte(request.op.commutative, 7),
              static_cast<std::uint64_t>(request.element_size) | byte(request.memory, 2) |
                  static_cast<std::uint64_t>(static_cast<std::uint32_t>(request.root)) << 32,
              request.count, request.in_count, request.out_count} {}

  bool operator==(const CallKey&) const = default;
  /// A few bits of it, well mixed.
  std::size_t hash() const {
    return ((words[0] ^ words[1]) * 0x9e3779b97f4a7c15ULL + words[2] * 0xc2b2ae3d27d4eb4fULL) >> 56;
  }

 private:
  template <class T>
  static std::uint64_t byte(T value, int place) {
    return static_cast<std::uint64_t>(value) << (8 * place);
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
