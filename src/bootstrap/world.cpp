#include "tutti/bootstrap/world.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "bootstrap/connect.hpp"
#include "bootstrap/host.hpp"
#include "bootstrap/launch.hpp"
#include "bootstrap/reporter.hpp"
#include "bootstrap/serving.hpp"
#include "bootstrap/variables.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/rendezvous.hpp"

namespace tutti {

Progress progress_on_stderr() {
  return {.say = [](const std::string& line) { std::fputs((line + '\n').c_str(), stderr); }};
}

namespace {

// The launcher's process on this host, which all ranks descend from, names the job where no variable does.
std::string name_of_parent(const Launch& launch, const Environment& environment) {
  for (const char* command : {"hydra_pmi_proxy", "pmi_proxy", "orted", "prted", "mpirun", "mpiexec"}) {
    if (const auto name = ancestor_named(command)) return fmt::format("{}-{}", command, *name);
  }
  if (const auto fd = Variables(environment).number("HYDI_CONTROL_FD", 0, 1 << 20)) {
    if (const auto name = socket_identity(*fd)) return "hydra-" + *name;
  }
  throw Error(Code::bootstrap, fmt::format("nothing tells this {} job from another on this host", launch.launcher),
              {.remedy = "set TUTTI_JOB to a name of its own on all ranks"});
}

World described(const Launch& launch) {
  World world = alone();
  world.rank = launch.rank;
  world.size = launch.size;
  if (!launch.job.empty()) world.job = launch.job;
  world.secret = launch.secret;
  if (!launch.host_id.empty()) world.host_id += '/' + launch.host_id;
  world.launcher = launch.launcher;
  world.one_process = launch.size == 1;
  world.timeout = launch.timeout;
  return world;
}

std::shared_ptr<Store> connect(const Launch& launch, const World& world, Store::Deadline deadline) {
  const auto places = meeting_places(launch);
  const Admission admission{launch.job, launch.secret};
  Reporter reporter(world.progress);
  // One voice per host is enough, and rank 1's where rank 0 should have been it.
  const bool speaks = launch.local_rank <= 0 || launch.rank == 1;
  const auto waiting = [&] {
    if (!speaks) return;
    reporter.maybe([&] {
      return fmt::format("tutti: rank {}: waiting for {} s: rank 0 does not serve {}", launch.rank,
                         reporter.waited().count(), to_string(places.front()));
    });
  };
  return remote_store(connect_to_one_of(places, admission, deadline, waiting), admission);
}

void meet(World& world, const Launch& launch, Store::Deadline deadline) {
  auto& serving = Serving::of_process();
  std::string space;
  for (;;) {
    auto store = launch.rank == 0 ? serving.open(launch, deadline) : connect(launch, world, deadline);
    // An attempt that was not admitted is no turn: the other ranks know nothing of it.
    if (space.empty()) space = fmt::format("world{}/", serving.next_turn(launch.job, launch.rank));
    world.store = prefixed(std::move(store), space);
    try {
      return gather_ranks(world, "meeting", deadline);
    } catch (const Error& error) {
      // It was the server of a program that the same launcher ran before; ours is still to come.
      if (error.code() != Code::peer_lost || std::chrono::steady_clock::now() >= deadline) throw;
    }
  }
}

}  // namespace

World from_environment(const Environment& environment) {
  Launch launch = launch_from(environment);
  if (launch.size == 1) return described(launch);
  try {
    if (launch.job_of_parent) launch.job = name_of_parent(launch, environment);
    World world = described(launch);
    meet(world, launch, world.deadline());
    return world;
  } catch (const Error& error) {
    throw error.with({.rank = launch.rank});
  }
}

}  // namespace tutti
