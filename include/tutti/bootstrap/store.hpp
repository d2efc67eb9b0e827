/// @file  Store: the small table of keys and values through which the ranks of a job find one another.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// A table shared by the ranks of a job: for addresses, names and facts at the start, not for data.
///
/// All members may be called from any thread at any time; a waiting thread does not hold up another. Every
/// operation is atomic, and what one rank has set, every rank reads from then on. Errors: invalid_argument
/// for a key or value beyond its bounds, resource when the table is full, peer_lost when the process that
/// holds the table is gone, timeout, mismatch (see add).
class Store {
 public:
  using Value = std::vector<std::byte>;
  using Deadline = std::chrono::steady_clock::time_point;

  static constexpr std::size_t max_key = 4096;                     ///< bytes; a key has at least one
  static constexpr std::size_t max_value = std::size_t{16} << 20;  ///< bytes; a value may be empty

  virtual ~Store() = default;

  /// Puts or replaces a value and wakes whoever waits for it.
  void set(std::string_view key, std::span<const std::byte> value);
  void set(std::string_view key, std::string_view text) { set(key, std::as_bytes(std::span(text))); }

  /// What is there now; nothing when the key has not been set.
  std::optional<Value> get(std::string_view key);

  /// Blocks until the key is there. Throws Error(timeout), which names the key, when the deadline passes
  /// first; a deadline in the past asks once.
  Value wait(std::string_view key, Deadline deadline);

  /// The same without the error: nothing when the deadline passes first.
  std::optional<Value> try_wait(std::string_view key, Deadline deadline);

  /// Adds to a counter and returns its new value. A key that is not there counts as 0. The value of a counter
  /// is its 8 bytes, low byte first; adding to a key that holds anything else is Error(mismatch).
  std::int64_t add(std::string_view key, std::int64_t delta);

  /// Forgets a key; false when it was not there.
  bool erase(std::string_view key);

  /// Forgets every key that starts so, and returns how many there were. The prefix may not be empty.
  std::size_t erase_prefix(std::string_view prefix);

 private:
  virtual void do_set(std::string_view key, std::span<const std::byte> value) = 0;
  virtual std::optional<Value> do_get(std::string_view key) = 0;
  virtual std::optional<Value> do_wait(std::string_view key,
                                       Deadline deadline) = 0;  // nothing: the deadline passed
  virtual std::int64_t do_add(std::string_view key, std::int64_t delta) = 0;
  virtual bool do_erase(std::string_view key) = 0;
  virtual std::size_t do_erase_prefix(std::string_view prefix) = 0;
};

/// The bytes of a value as text.
inline std::string text_of(std::span<const std::byte> value) {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

/// A table in this process, for ranks that are threads, and for one rank alone.
std::shared_ptr<Store> memory_store();

/// A view of `store` in which every key begins with `prefix`: the own space of a split communicator. Keeps
/// `store` alive.
std::shared_ptr<Store> prefixed(std::shared_ptr<Store> store, std::string prefix);

}  // namespace tutti
