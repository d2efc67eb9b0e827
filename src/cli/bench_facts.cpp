#include "cli/bench_facts.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "tutti/collectives.hpp"
#include "tutti/topology/host_facts.hpp"

namespace tutti::bench {

namespace {

std::string now_in_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm broken{};
  ::gmtime_r(&now, &broken);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &broken);
  return text.data();
}

}  // namespace

std::vector<std::string> gather_texts(Communicator& communicator, const std::string& text) {
  constexpr std::size_t room = 64;
  std::vector<std::uint8_t> mine(room);
  std::copy_n(text.begin(), std::min(text.size(), room), mine.begin());
  std::vector<std::uint8_t> all(room * static_cast<std::size_t>(communicator.size()));
  all_gather(communicator, on_host(std::as_const(mine)), on_host(all)).wait();
  std::vector<std::string> texts;
  for (auto at = all.begin(); at != all.end(); at += room) texts.emplace_back(at, std::find(at, at + room, 0));
  return texts;
}

RunFacts facts_of(Communicator& communicator, const BenchOptions& options, const std::string& peer) {
  const HostFacts& host = this_host_facts();
  RunFacts facts;
  facts.tutti = TUTTI_VERSION;
  facts.peer = peer;
  facts.ranks = communicator.size();
  facts.launcher = communicator.world().launcher;
  for (std::string& name : gather_texts(communicator, communicator.world().host)) {
    if (std::find(facts.hosts.begin(), facts.hosts.end(), name) == facts.hosts.end()) {
      facts.hosts.push_back(std::move(name));
    }
  }
  facts.cpu = host.cpu_model;
  facts.cpus = host.cpus;
  facts.memory_bytes = host.memory_bytes;
  facts.started = now_in_utc();
  facts.dirty = options.dirty;
  facts.deterministic = options.deterministic;
  return facts;
}

}  // namespace tutti::bench
