#include "communicator_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "run/host/host_engine.hpp"
#include "run/shape.hpp"
#include "run/two_level/two_level_engine.hpp"
#include "topology/numa.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti {

namespace {

/// As this rank reads it, or is told.
Topology machine_of(const World& world, const Config& config, const Placement& placement) {
  if (config.topology) return *config.topology;
  if (placement.hosts() == 1) return from_host_facts(this_host_facts());
  HostFacts facts = this_host_facts();
  facts.host = world.host;
  facts.id = world.host_id;  // ranks that play several hosts on one machine are to be told apart
  return from_host_facts(facts);
}

int numa_node_in(const Topology& machine) {
  const bool several = !machine.hosts().empty() && machine.hosts().front().numa_nodes.size() > 1;
  return several ? current_numa_node() : -1;
}

const World& expect_sound(const World& world, const Config& config) {
  const auto refuse = [&](const std::string& what, const char* remedy) {
    throw Error(Code::invalid_argument, what, {.operation = "making a communicator", .remedy = remedy});
  };
  if (world.size < 1 || world.rank < 0 || world.rank >= world.size) {
    refuse(fmt::format("rank {} of {} ranks", world.rank, world.size), "ranks are numbered from 0 to size - 1");
  }
  if (world.store == nullptr) {
    refuse("the World has no store", "take it from from_environment, from_mpi, worlds_in_process or alone");
  }
  if (config.timeout.count() <= 0) {
    refuse(fmt::format("a timeout of {} ms", config.timeout.count()), "Config::timeout is positive");
  }
  return world;
}

/// Keys in the store are not numbered: a second communicator would read what the first has left there.
void claim(const World& world) {
  if (world.size == 1 || world.store->add(fmt::format("communicator/{}", world.rank), 1) == 1) return;
  throw Error(Code::invalid_argument, "a communicator has been made from this World before",
              {.rank = world.rank,
               .operation = "making a communicator",
               .remedy = "make a new World on all ranks (from_environment, from_mpi, worlds_in_process), or split the "
                         "communicator"});
}

CommunicatorState::Family new_family(const World& world, const Config& config) {
  claim(world);
  const Store::Deadline deadline = world.deadline();
  CommunicatorState::Family family{.roll = call_roll(world, config.tuning.get(), deadline)};
  const Placement& placement = family.roll.placement;
  expect_network(world, family.roll, config.progress_thread);
  family.id = family.roll.id;
  family.recorder = std::make_shared<FlightRecorder>(world, family.id, config.flight_recorder);
  family.topology = machine_of(world, config, placement);
  family.numa_node = numa_node_in(family.topology);
  const auto here = placement.on(placement.host(world.rank));
  family.device_turn = static_cast<int>(std::find(here.begin(), here.end(), world.rank) - here.begin());
  if (placement.hosts() > 1) {
    family.topology = gather_topology(world, placement, family.topology, deadline);
    std::vector<int> everybody(static_cast<std::size_t>(world.size));
    std::iota(everybody.begin(), everybody.end(), 0);
    family.network = world.network->subset(everybody);
  }
  const auto neighbours = static_cast<int>(placement.on(placement.host(world.rank)).size());
  const int waiting = config.progress_thread ? 2 * neighbours : neighbours;
  const bool apart = family.roll.apart && !config.progress_thread;
  family.loop =
      std::make_shared<ProgressLoop>(WaitPolicy::for_host(waiting, family.roll.cpus, apart), config.progress_thread);
  return family;
}

Facts facts_here(const host::Team& team, const Config& config, const RollCall& roll) {
  Facts facts;
  facts.oversubscribed = roll.oversubscribed;
  facts.tuning = config.tuning.get();
  facts.ranks = team.size();
  facts.one_process = team.local().one_process;
  facts.packet_bytes = team.arena().shape().packet.capacity;
  facts.fifo_bytes = team.arena().shape().fifo.capacity;
  return facts;
}

Facts facts_of(const RollCall& roll, const host::Team& team, const Config& config) {
  Facts facts = facts_here(team, config, roll);
  facts.ranks = roll.placement.ranks();
  facts.hosts = roll.placement.hosts();
  facts.even = roll.placement.even();
  facts.consecutive = roll.placement.consecutive();
  return facts;
}

std::unique_ptr<Engine> engine_for(CommunicatorState& state) {
  const host::HostEngine::Settings settings{.timeout = state.config.timeout,
                                            .check_across_ranks = state.config.check_across_ranks,
                                            .recorder = state.family.recorder.get(),
                                            .recorded_as = state.recorded_as};
  ProgressLoop& loop = *state.family.loop;
  if (state.facts.hosts == 1) return std::make_unique<host::HostEngine>(state.team, loop, state.facts, settings);
  std::vector<std::shared_ptr<Store>> stores{state.world.store};
  stores.insert(stores.end(), state.family.stores_above.begin(), state.family.stores_above.end());
  return std::make_unique<two_level::TwoLevelEngine>(
      two_level::Hosts(state.family.roll.placement, state.family.network), state.team, loop,
      facts_here(state.team, state.config, state.family.roll), settings, std::move(stores));
}

/// That of some of the ranks.
RollCall part_of(const RollCall& roll, std::span<const int> members) {
  RollCall part = roll;
  part.placement = roll.placement.of(members);
  part.host_names.clear();
  for (int host = 0; host < part.placement.hosts(); ++host) {
    const int member = members[static_cast<std::size_t>(part.placement.on(host).front())];
    part.host_names.push_back(roll.host_names[static_cast<std::size_t>(roll.placement.host(member))]);
  }
  return part;
}

}  // namespace

CommunicatorState::CommunicatorState(World given, const Config& settings, std::optional<Family> from)
    : world(std::move(given)),
      config(settings),
      family(from ? *std::move(from) : new_family(expect_sound(world, config), config)),
      room(family.mapped, local_world(world, family.roll), config.most_shared_memory),
      team(local_world(world, family.roll), family.numa_node, world.deadline()),
      facts(facts_of(family.roll, team, config)),
      recorded_as(family.recorder->join(family.id, family.parent, world.rank, world.size)),
      engine(engine_for(*this)),
      device_engines(*this) {}

CommunicatorState::Room::Room(std::shared_ptr<std::size_t> mapped, const World& local, std::size_t most)
    : mapped_(std::move(mapped)), bytes_(host::ArenaShape::for_ranks(local.size).total_bytes()) {
  if (most != 0 && *mapped_ + bytes_ > most) {
    throw Error(Code::resource,
                fmt::format("{} of shared memory for {} ranks, with {} that communicators have, are more than {}",
                            format_bytes(bytes_), local.size, format_bytes(*mapped_), format_bytes(most)),
                {.rank = local.rank,
                 .operation = "making a communicator",
                 .remedy = "drop communicators, or allow more (Config::most_shared_memory, TUTTI_MOST_SHARED_MEMORY)"});
  }
  *mapped_ += bytes_;
}

CommunicatorState::~CommunicatorState() { family.recorder->leave(recorded_as); }

std::shared_ptr<CommunicatorState> CommunicatorState::part(std::span<const int> members,
                                                           const std::string& store_name) const {
  World smaller = world;
  smaller.store = prefixed(world.store, store_name);
  auto made = among(members, std::move(smaller), store_name);
  const std::span<const int> neighbours = family.roll.placement.on(family.roll.placement.host(world.rank));
  made->team.heed(team, {neighbours.begin(), neighbours.end()});
  return made;
}

std::shared_ptr<CommunicatorState> CommunicatorState::among(std::span<const int> members, World smaller,
                                                            const std::string& name) const {
  Family of_part = family;
  of_part.roll = part_of(family.roll, members);
  of_part.parent = family.id;
  of_part.id = id_of(fmt::format("{:016x}/{}", family.id, name));
  if (facts.hosts > 1) of_part.stores_above.push_back(world.store);
  smaller.rank = static_cast<int>(std::find(members.begin(), members.end(), world.rank) - members.begin());
  smaller.size = static_cast<int>(members.size());
  of_part.network = of_part.roll.placement.hosts() > 1 ? family.network->subset(members) : nullptr;
  smaller.network = of_part.network;
  return kept(new CommunicatorState(std::move(smaller), config, std::move(of_part)));
}

Operation& CommunicatorState::begin(const Request& request) {
  Remembered* known = memory.find(request);
  if (known != nullptr && request.options.timeout.count() != 0) [[likely]] {
    if (!buffers_apart(request, known->shape)) validate_buffers(request, world.rank, known->shape);
    return engine->run(known->decision, request, &known->preparation);
  }
  return begin_anew(request);
}

Operation& CommunicatorState::begin_anew(const Request& request) {
  validate(request, world.rank, world.size);
  if (request.memory == Memory::device) {
    find_devices(request);
    Decision decision = decide(request, facts);
    if (std::string why = device_engines.start(decision, request); !why.empty()) {
      facts.device.forget_kernels(std::move(why));
      decision = decide(request, facts);
      device_engines.start(decision, request);
    }
    return device_engines.run(decision, request);
  }
  const Decision decision = decide(request, facts);
  Remembered* known = nullptr;
  if (request.counts.empty()) {  // tables of counts are too long to compare
    known = memory.remember(request, shape_of(request, world.rank, world.size), decision);
  }
  return engine->run(decision, request, known != nullptr ? &known->preparation : nullptr);
}

void CommunicatorState::find_devices(const Request& request) {
  if (!facts.device.known) facts.device = device_engines.find(describe(request));
}

}  // namespace tutti
