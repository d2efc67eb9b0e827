/// @file  on_hosts: threads of this process play the ranks of several hosts.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run/memory_network.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/in_process.hpp"
#include "tutti/communicator.hpp"

namespace tutti::test {

/// Worlds of which rank r is on the host with the number hosts[r].
inline std::vector<World> worlds_on_hosts(const std::vector<int>& hosts) {
  const int ranks = static_cast<int>(hosts.size());
  std::vector<World> worlds = worlds_in_process(ranks);
  const auto shared = std::make_shared<Switch>(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    World& world = worlds[static_cast<std::size_t>(rank)];
    const std::string name = "host-" + std::to_string(hosts[static_cast<std::size_t>(rank)]);
    world.host = name;
    world.host_id += '/' + name;
    world.network = std::make_shared<MemoryNetwork>(shared, rank);
  }
  return worlds;
}

/// As in_process: throws the first failure that was not a consequence.
inline void on_hosts(const std::vector<int>& hosts, const std::function<void(Communicator&)>& body,
                     const Config& config = {}) {
  std::mutex mutex;
  std::exception_ptr failure;
  bool is_consequence = false;
  const auto failed = [&](bool consequence) {
    const std::lock_guard lock(mutex);
    if (failure != nullptr && !(is_consequence && !consequence)) return;
    failure = std::current_exception();
    is_consequence = consequence;
  };
  std::vector<std::thread> threads;
  for (const World& world : worlds_on_hosts(hosts)) {
    threads.emplace_back([&, world] {
      std::optional<Communicator> comm;
      try {
        comm.emplace(world, config);
        body(*comm);
      } catch (const Error& error) {
        failed(error.code() == Code::aborted);
        if (comm) comm->abort();
      } catch (...) {
        failed(false);
        if (comm) comm->abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace tutti::test
