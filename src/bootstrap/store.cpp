#include "tutti/bootstrap/store.hpp"

#include <fmt/format.h>

#include <utility>

#include "bootstrap/bytes.hpp"
#include "bootstrap/table.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

void check_key(std::string_view key) {
  if (!key.empty() && key.size() <= Store::max_key) return;
  throw Error(Code::invalid_argument,
              fmt::format("a store key of {} bytes; it has 1 to {}", key.size(), Store::max_key),
              {.operation = fmt::format("store key \"{}\"", printable(key)), .remedy = "use another key"});
}

}  // namespace

void Store::set(std::string_view key, std::span<const std::byte> value) {
  check_key(key);
  if (value.size() > max_value) {
    throw Error(Code::invalid_argument,
                fmt::format("a store value of {} bytes; it has at most {}", value.size(), max_value),
                {.operation = fmt::format("set of \"{}\"", printable(key)),
                 .remedy = "the store is for addresses and facts; send data through a communicator"});
  }
  do_set(key, value);
}

std::optional<Store::Value> Store::get(std::string_view key) {
  check_key(key);
  return do_get(key);
}

std::optional<Store::Value> Store::try_wait(std::string_view key, Deadline deadline) {
  check_key(key);
  return do_wait(key, deadline);
}

Store::Value Store::wait(std::string_view key, Deadline deadline) {
  if (auto value = try_wait(key, deadline)) return std::move(*value);
  throw Error(Code::timeout, "no rank has set it by the deadline",
              {.operation = fmt::format("wait for \"{}\"", printable(key)),
               .remedy = "see whether all ranks run, or allow more time"});
}

std::int64_t Store::add(std::string_view key, std::int64_t delta) {
  check_key(key);
  return do_add(key, delta);
}

bool Store::erase(std::string_view key) {
  check_key(key);
  return do_erase(key);
}

std::size_t Store::erase_prefix(std::string_view prefix) {
  check_key(prefix);
  return do_erase_prefix(prefix);
}

std::shared_ptr<Store> memory_store() { return store_on(std::make_shared<Table>(std::size_t{1} << 30)); }

namespace {

class PrefixedStore : public Store {
 public:
  PrefixedStore(std::shared_ptr<Store> store, std::string prefix)
      : store_(std::move(store)), prefix_(std::move(prefix)) {}

 private:
  std::string full(std::string_view key) const { return prefix_ + std::string(key); }
  void do_set(std::string_view key, std::span<const std::byte> value) override { store_->set(full(key), value); }
  std::optional<Value> do_get(std::string_view key) override { return store_->get(full(key)); }
  std::optional<Value> do_wait(std::string_view key, Deadline deadline) override {
    return store_->try_wait(full(key), deadline);
  }
  std::int64_t do_add(std::string_view key, std::int64_t delta) override { return store_->add(full(key), delta); }
  bool do_erase(std::string_view key) override { return store_->erase(full(key)); }
  std::size_t do_erase_prefix(std::string_view prefix) override { return store_->erase_prefix(full(prefix)); }

  const std::shared_ptr<Store> store_;
  const std::string prefix_;
};

}  // namespace

std::shared_ptr<Store> prefixed(std::shared_ptr<Store> store, std::string prefix) {
  expect(store != nullptr, Code::invalid_argument, "prefixed: there is no store");
  return std::make_shared<PrefixedStore>(std::move(store), std::move(prefix));
}

}  // namespace tutti
