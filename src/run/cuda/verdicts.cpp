#include "run/cuda/verdicts.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <span>

#include "tutti/base/error.hpp"

namespace tutti::cuda {

namespace {

constexpr auto between_looks = std::chrono::milliseconds(100);
constexpr std::byte good{1};

std::string key(const std::string& point, int rank) { return fmt::format("cuda/{}/{}", point, rank); }

Store::Value heard(const World& world, const std::string& key, const std::function<void()>& look) {
  const Store::Deadline deadline = world.deadline();
  for (;;) {
    const Store::Deadline soon = std::min(deadline, std::chrono::steady_clock::now() + between_looks);
    if (auto value = world.store->try_wait(key, soon)) return *std::move(value);
    if (std::chrono::steady_clock::now() >= deadline) return world.store->wait(key, deadline);  // says that it is late
    look();
  }
}

}  // namespace

std::vector<Store::Value> agree(const World& world, const std::string& point, const std::function<void()>& look,
                                const std::function<Store::Value()>& mine) {
  std::exception_ptr own;
  Store::Value said;
  try {
    said = mine();
    said.insert(said.begin(), good);
  } catch (const Error& error) {
    own = std::current_exception();
    const auto words = std::as_bytes(std::span(error.reason()));
    said.assign(1, std::byte{0});
    said.insert(said.end(), words.begin(), words.end());
  }
  world.store->set(key(point, world.rank), said);
  if (own != nullptr) std::rethrow_exception(own);
  std::vector<Store::Value> all;
  for (int rank = 0; rank < world.size; ++rank) {
    Store::Value value = rank == world.rank ? said : heard(world, key(point, rank), look);
    if (value.empty() || value.front() != good) {
      throw Error(Code::bootstrap, value.empty() ? "it said nothing" : text_of(value).substr(1),
                  {.rank = world.rank,
                   .operation = "making wires among devices",
                   .engine = "cuda",
                   .peer = rank,
                   .remedy = "look at that rank's own error"});
    }
    value.erase(value.begin());
    all.push_back(std::move(value));
  }
  return all;
}

}  // namespace tutti::cuda
