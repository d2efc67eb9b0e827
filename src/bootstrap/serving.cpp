#include "bootstrap/serving.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "bootstrap/address.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

// A host name may stand for 127.0.1.1 on its own host; ranks on other hosts could not come there.
std::string listen_for(const Launch& launch, const Endpoint& endpoint) {
  if (!launch.listen.empty() || launch.store_given || endpoint.kind != Endpoint::Kind::tcp) return launch.listen;
  return hides_behind_loopback(endpoint.host) ? "*" : "";
}

std::shared_ptr<StoreServer> open_server(const Launch& launch, Store::Deadline deadline) {
  const auto places = meeting_places(launch);
  // The address may belong for a moment yet to the rank 0 of a program that the same launcher ran before.
  const auto patience = std::min(deadline, Clock::now() + 5s);
  for (;;) {
    for (const Endpoint& place : places) {
      try {
        return std::make_shared<StoreServer>(place, Admission{launch.job, launch.secret}, ServerLimits{},
                                             listen_for(launch, place));
      } catch (const Error& error) {
        if (error.code() != Code::resource) throw;
        if (&place == &places.back() && Clock::now() >= patience) throw;
      }
    }
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace

std::shared_ptr<StoreServer> serve_beyond(const Endpoint& endpoint, const Admission& admission,
                                          Store::Deadline deadline) {
  for (;;) {
    try {
      return {new StoreServer(endpoint, admission),
              [](StoreServer* done) { Serving::of_process().adopt(std::shared_ptr<StoreServer>(done)); }};
    } catch (const Error& error) {
      if (error.code() != Code::resource || Clock::now() >= deadline) throw;
    }
    std::this_thread::sleep_for(10ms);
  }
}

void allow_descriptors(int ranks) {
  rlimit limit{};
  const rlim_t needed = static_cast<rlim_t>(ranks) + 512;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed) {
    throw Error(Code::resource,
                fmt::format("rank 0 needs {} descriptors for {} ranks; the limit is {}", needed, ranks, limit.rlim_max),
                {.remedy = "raise ulimit -n on its host"});
  }
  limit.rlim_cur = needed;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::vector<Endpoint> meeting_places(const Launch& launch) {
  if (!launch.store.empty()) return launch.store;
  return {unix_endpoint("job-" + launch.job)};
}

Serving& Serving::of_process() {
  static Serving& serving = *new Serving;
  static const struct AtExit {
    ~AtExit() { serving.finish(); }
  } at_exit;
  return serving;
}

std::shared_ptr<Store> Serving::open(const Launch& launch, Store::Deadline deadline) {
  const auto key = fmt::format("{} {}", to_string(meeting_places(launch).front()), launch.job);
  const std::scoped_lock lock(mutex_);
  auto found = by_job_.find(key);
  if (found == by_job_.end()) {
    allow_descriptors(launch.size);
    found = by_job_.emplace(key, open_server(launch, deadline)).first;
  }
  return found->second->store();
}

void Serving::adopt(std::shared_ptr<StoreServer> server) {
  server->retire();
  const std::scoped_lock lock(mutex_);
  std::erase_if(adopted_, [](const auto& each) { return each->finished(); });
  adopted_.push_back(std::move(server));
}

unsigned Serving::next_turn(const std::string& job, int rank) {
  const std::scoped_lock lock(mutex_);
  return turns_[fmt::format("{} {}", rank, job)]++;
}

void Serving::finish() {
  std::vector<std::shared_ptr<StoreServer>> servers;
  {
    const std::scoped_lock lock(mutex_);
    servers.swap(adopted_);
    for (auto& [job, server] : by_job_) servers.push_back(std::move(server));
    by_job_.clear();
  }
  for (const auto& server : servers) server->retire();
  const auto all_finished = [&] {
    return std::all_of(servers.begin(), servers.end(), [](const auto& each) { return each->finished(); });
  };
  const auto deadline = Clock::now() + 2s;
  while (::getpid() == pid_ && !all_finished() && Clock::now() < deadline) std::this_thread::sleep_for(1ms);
}

}  // namespace tutti
