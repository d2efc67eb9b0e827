#include "communicator_state.hpp"

#include <utility>

#include "topology/numa.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/rendezvous.hpp"

namespace tutti {

namespace {

Topology topology_of(const Config& config) {
  return config.topology ? *config.topology : from_host_facts(this_host_facts());
}

int numa_node(const Topology& topology) {
  const bool several = !topology.hosts().empty() && topology.hosts().front().numa_nodes.size() > 1;
  return several ? current_numa_node() : -1;
}

Facts facts_of(const host::Team& team) {
  Facts facts;
  facts.ranks = team.size();
  facts.one_process = team.local().one_process;
  facts.packet_bytes = team.arena().shape().packet.capacity;
  facts.fifo_bytes = team.arena().shape().fifo.capacity;
  return facts;
}

}  // namespace

CommunicatorState::CommunicatorState(World given, const Config& settings, std::shared_ptr<ProgressLoop> shared_loop)
    : world(std::move(given)),
      config(settings),
      topology(topology_of(settings)),
      deadline(world.deadline()),
      team(world, numa_node(topology), deadline),
      loop(shared_loop != nullptr
               ? std::move(shared_loop)
               : std::make_shared<ProgressLoop>(WaitPolicy::for_host(world.size, allowed_cpu_count()),
                                                settings.progress_thread)),
      facts(facts_of(team)),
      host_engine(team, *loop, facts,
                  {.timeout = settings.timeout, .check_across_ranks = settings.check_across_ranks}) {}

Operation& CommunicatorState::begin(const Request& request) {
  const CallKey key(request);
  Remembered* known = memory.find(key);
  if (known != nullptr && request.options.timeout.count() != 0) [[likely]] {
    validate_buffers(request, world.rank, known->shape);
    return engine(known->decision).run(known->decision, request, &known->preparation);
  }
  validate(request, world.rank, world.size);
  const Decision decision = choose(request, facts);
  if (request.counts.empty()) {  // tables of counts are too long to compare
    known = memory.remember(key, shape_of(request, world.rank, world.size), decision);
  }
  return engine(decision).run(decision, request, known != nullptr ? &known->preparation : nullptr);
}

}  // namespace tutti
