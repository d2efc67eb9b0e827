/// @file  ShownCall: each rank shows the others which collective it is in, so that whoever waits for long can compare.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "run/host/call_signature.hpp"

namespace tutti::host {

/// In shared memory; written by its rank only. Zeroed memory shows no call. The lines are the rank's own until somebody
/// looks, so that showing a call costs a few stores.
class alignas(128) ShownCall {
 public:
  void show(const CallSignature& signature, std::uint64_t turn) noexcept {
    number_.store(0, std::memory_order_relaxed);
    const Words words = std::bit_cast<Words>(signature);
    for (std::size_t i = 1; i < count; ++i) words_[i].store(words.word[i], std::memory_order_release);
    number_.store(turn + 1, std::memory_order_release);
  }
  /// The signature of that call; nothing when another is shown. Its `history` is that of its rank.
  std::optional<CallSignature> of(std::uint64_t turn) const noexcept {
    if (number_.load(std::memory_order_acquire) != turn + 1) return std::nullopt;
    Words words{};
    words.word[0] = turn;
    for (std::size_t i = 1; i < count; ++i) words.word[i] = words_[i].load(std::memory_order_acquire);
    if (number_.load(std::memory_order_relaxed) != turn + 1) return std::nullopt;
    return std::bit_cast<CallSignature>(words);
  }

 private:
  static constexpr std::size_t count = sizeof(CallSignature) / sizeof(std::uint64_t);
  struct Words {
    std::uint64_t word[count];  ///< the first is the sequence
  };
  static_assert(sizeof(Words) == sizeof(CallSignature) && offsetof(CallSignature, sequence) == 0);

  std::atomic<std::uint64_t> number_;  ///< 1 + the turn; 0: being written, or none
  std::atomic<std::uint64_t> words_[count];
};

}  // namespace tutti::host
