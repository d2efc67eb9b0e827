/// @file  Table: the keys and values of a store and who waits for which key; the one implementation behind
/// every store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tutti/bootstrap/store.hpp"

namespace tutti {

class Table {
 public:
  /// Values are shared, so that many who wait for one value do not each copy it under the lock.
  using Shared = std::shared_ptr<const Store::Value>;

  /// Told once when its key is set, by the thread that sets it, under the table's lock: be brief, don't call
  /// the table.
  class Watch {
   public:
    virtual ~Watch() = default;
    virtual void fire(const Shared& value) = 0;
  };

  explicit Table(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void set(std::string_view key, std::span<const std::byte> value);
  Shared get(std::string_view key);                             ///< null when it is not there
  Shared wait(std::string_view key, Store::Deadline deadline);  ///< null when the deadline passes first
  std::int64_t add(std::string_view key, std::int64_t delta);
  bool erase(std::string_view key);
  std::size_t erase_prefix(std::string_view prefix);

  /// The value if it is there; else null, and `watch` is told when it comes. A watch waits for one key at a
  /// time.
  Shared get_or_watch(std::string_view key, Watch& watch);

  /// Afterwards the watch is not called any more.
  void unwatch(std::string_view key, Watch& watch);

 private:
  void put(std::string_view key, Shared value);  // all of these under the lock
  void drop(std::string_view key, Watch& watch);

  std::mutex mutex_;
  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::map<std::string, Shared, std::less<>> values_;
  std::multimap<std::string, Watch*, std::less<>> watches_;
};

/// A store on a table of this process, without any socket.
std::shared_ptr<Store> store_on(std::shared_ptr<Table> table);

}  // namespace tutti
