#include "bootstrap/table.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <utility>

#include "bootstrap/bytes.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

// What a key costs besides its bytes, roughly; keeps a flood of empty values within bounds too.
constexpr std::size_t node_bytes = 128;

struct Sleeper : Table::Watch {
  std::condition_variable woken;
  Table::Shared value;
  void fire(const Table::Shared& set) override {
    value = set;
    woken.notify_one();
  }
};

}  // namespace

void Table::put(std::string_view key, Shared value) {
  const auto old = values_.find(key);
  std::size_t bytes = bytes_ + value->size();
  if (old != values_.end()) {
    bytes -= old->second->size();
  } else {
    bytes += key.size() + node_bytes;
  }
  if (bytes > max_bytes_) {
    throw Error(Code::resource, fmt::format("the store is full: it holds at most {} bytes", max_bytes_),
                {.operation = fmt::format("set of \"{}\"", printable(key))});
  }
  if (old != values_.end()) {
    old->second = value;
  } else {
    values_.emplace(key, value);
  }
  bytes_ = bytes;
  const auto [first, last] = watches_.equal_range(key);
  for (auto watch = first; watch != last; ++watch) watch->second->fire(value);
  watches_.erase(first, last);
}

void Table::set(std::string_view key, std::span<const std::byte> value) {
  auto shared = std::make_shared<const Store::Value>(value.begin(), value.end());
  const std::scoped_lock lock(mutex_);
  put(key, std::move(shared));
}

Table::Shared Table::get(std::string_view key) {
  const std::scoped_lock lock(mutex_);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : found->second;
}

Table::Shared Table::wait(std::string_view key, Store::Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (const auto found = values_.find(key); found != values_.end()) return found->second;
  Sleeper sleeper;
  watches_.emplace(key, &sleeper);
  if (!sleeper.woken.wait_until(lock, deadline, [&] { return sleeper.value != nullptr; })) drop(key, sleeper);
  return sleeper.value;
}

std::int64_t Table::add(std::string_view key, std::int64_t delta) {
  const std::scoped_lock lock(mutex_);
  std::uint64_t count = 0;
  if (const auto found = values_.find(key); found != values_.end()) {
    if (found->second->size() != sizeof(count)) {
      throw Error(Code::mismatch, fmt::format("the key holds {} bytes and is not a counter", found->second->size()),
                  {.operation = fmt::format("add to \"{}\"", printable(key)), .remedy = "use another key"});
    }
    count = ByteReader(*found->second).u64();
  }
  count += static_cast<std::uint64_t>(delta);  // wraps, as unsigned numbers do
  put(key, std::make_shared<const Store::Value>(ByteWriter().u64(count).take()));
  return static_cast<std::int64_t>(count);
}

bool Table::erase(std::string_view key) {
  const std::scoped_lock lock(mutex_);
  const auto found = values_.find(key);
  if (found == values_.end()) return false;
  bytes_ -= found->first.size() + found->second->size() + node_bytes;
  values_.erase(found);
  return true;
}

std::size_t Table::erase_prefix(std::string_view prefix) {
  const std::scoped_lock lock(mutex_);
  std::size_t count = 0;
  auto next = values_.lower_bound(prefix);
  while (next != values_.end() && next->first.starts_with(prefix)) {
    bytes_ -= next->first.size() + next->second->size() + node_bytes;
    next = values_.erase(next);
    ++count;
  }
  return count;
}

Table::Shared Table::get_or_watch(std::string_view key, Watch& watch) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = values_.find(key); found != values_.end()) return found->second;
  watches_.emplace(key, &watch);
  return nullptr;
}

void Table::drop(std::string_view key, Watch& watch) {
  const auto [first, last] = watches_.equal_range(key);
  for (auto next = first; next != last; ++next) {
    if (next->second == &watch) {
      watches_.erase(next);
      return;
    }
  }
}

void Table::unwatch(std::string_view key, Watch& watch) {
  const std::scoped_lock lock(mutex_);
  drop(key, watch);
}

namespace {

class TableStore : public Store {
 public:
  explicit TableStore(std::shared_ptr<Table> table) : table_(std::move(table)) {}

 private:
  static std::optional<Value> value_of(const Table::Shared& shared) {
    if (!shared) return std::nullopt;
    return *shared;
  }
  void do_set(std::string_view key, std::span<const std::byte> value) override { table_->set(key, value); }
  std::optional<Value> do_get(std::string_view key) override { return value_of(table_->get(key)); }
  std::optional<Value> do_wait(std::string_view key, Deadline deadline) override {
    return value_of(table_->wait(key, deadline));
  }
  std::int64_t do_add(std::string_view key, std::int64_t delta) override { return table_->add(key, delta); }
  bool do_erase(std::string_view key) override { return table_->erase(key); }
  std::size_t do_erase_prefix(std::string_view prefix) override { return table_->erase_prefix(prefix); }

  std::shared_ptr<Table> table_;
};

}  // namespace

std::shared_ptr<Store> store_on(std::shared_ptr<Table> table) { return std::make_shared<TableStore>(std::move(table)); }

}  // namespace tutti
