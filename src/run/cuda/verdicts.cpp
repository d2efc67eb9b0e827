#include "run/cuda/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

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
  Store::Value said;
  try {
    said = mine();
    said.insert(said.begin(), good);
  } catch (const Error& error) {
    const std::string line = error.reason() + '\n' + error.context().remedy;
    const auto words = std::as_bytes(std::span(line));
    said.assign(1, std::byte{0});
    said.insert(said.end(), words.begin(), words.end());
  }
  world.store->set(key(point, world.rank), said);
  std::vector<Store::Value> all;
  for (int rank = 0; rank < world.size; ++rank) {
    all.push_back(rank == world.rank ? said : heard(world, key(point, rank), look));
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const bool agrees = !all[rank].empty() && all[rank].front() == good;
    if (!all[rank].empty()) all[rank].erase(all[rank].begin());
    if (agrees) continue;
    const std::string line = text_of(all[rank]);
    const std::size_t reason = std::min(line.find('\n'), line.size());
    throw NoAgreement(Code::unsupported, fmt::format("rank {}: {}", rank, line.substr(0, reason)),
                      {.rank = world.rank,
                       .operation = "making wires among devices",
                       .engine = "cuda",
                       .remedy = line.substr(std::min(reason + 1, line.size()))});
  }
  return all;
}

}  // namespace tutti::cuda
