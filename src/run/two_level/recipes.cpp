#include "run/two_level/recipes.hpp"

#include <numeric>

#include "run/shape.hpp"

namespace tutti::two_level {

namespace {

/// An estimate, not measured yet: below, fewer messages win; above, every rank's share of the network.
constexpr std::size_t columns_from_bytes = std::size_t{32} << 10;
/// In rank order: beyond, sending every contribution to everybody costs more than a second exchange.
constexpr std::size_t two_exchanges_from_bytes = std::size_t{8} << 10;

constexpr bool here[] = {false};

/// Nothing to do: no elements.
class Nothing final : public Recipe {
 public:
  Nothing() : Recipe(here, 0) {}
  Action act(int, int) override { return {}; }
};

class Barrier final : public Recipe {
 public:
  Barrier(const Setting& setting, const Request& request)
      : Recipe(here_network_here, 1),
        first_(setting.team.rank() == 0 ? setting.hosts.column(0) : nullptr),
        plan_(local_plan(setting, request)) {
    stage_in(0);
  }
  Action act(int, int stage) override {
    if (stage != 1) return Local{plan_.get(), nullptr, nullptr, &local_op()};
    if (first_ == nullptr) return {};
    return remote(first_, Collective::barrier, nullptr, nullptr, 0);
  }

 private:
  Network* first_;
  LocalPlan plan_;
};

Request with_local_peer(const Setting& setting, Request request) {
  request.root = setting.hosts.placement.local_rank(request.root);
  return request;
}

class MessageHere final : public Recipe {
 public:
  MessageHere(const Setting& setting, const Request& request)
      : Recipe(here, 1), plan_(local_plan(setting, with_local_peer(setting, request))) {}
  Action act(int, int) override { return Local{plan_.get(), call().in, call().out, &local_op()}; }

 private:
  LocalPlan plan_;
};

/// The same answer on all ranks: those with elements need everybody for the calls of the network.
bool is_empty(const Request& request) {
  switch (request.collective) {
    case Collective::barrier:
    case Collective::all_to_all_v:  // a rank with nothing to do cannot know whether others have
      return false;
    case Collective::all_gather_v:
    case Collective::reduce_scatter_v:
      return std::accumulate(request.counts.begin(), request.counts.end(), std::size_t{0}) == 0;
    default:
      return request.count == 0;
  }
}

bool wants_rank_order(const Request& request) {
  return reduces(request.collective) && (request.options.deterministic || !request.op.commutative);
}

std::unique_ptr<Recipe> all_reduce_recipe(const Setting& setting, const Request& request) {
  const bool even = setting.hosts.placement.even();
  const std::size_t bytes = request.count * request.element_size;
  switch (setting.decision.algorithm) {
    case Algorithm::mpi:
      return even && bytes >= columns_from_bytes ? all_reduce_by_columns(setting, request)
                                                 : all_reduce_by_first_ranks(setting, request);
    case Algorithm::tree:  // its blocks all pass the top
      return all_reduce_by_first_ranks(setting, request);
    default:
      return even ? all_reduce_by_columns(setting, request) : all_reduce_by_first_ranks(setting, request);
  }
}

}  // namespace

std::unique_ptr<Recipe> recipe_for(const Setting& setting, const Request& request) {
  if (is_empty(request)) return std::make_unique<Nothing>();
  if (setting.decision.backend == Backend::mpi) return whole_network(setting, request);
  if (wants_rank_order(request)) {
    const bool twice = request.collective == Collective::all_reduce &&
                       request.count * request.element_size >= two_exchanges_from_bytes;
    return twice ? all_reduce_in_rank_order(setting, request) : combine_in_rank_order(setting, request);
  }
  switch (request.collective) {
    case Collective::all_reduce:
      return all_reduce_recipe(setting, request);
    case Collective::broadcast:
      return broadcast_by_column(setting, request);
    case Collective::reduce:
      return reduce_by_column(setting, request);
    case Collective::reduce_scatter:
      return reduce_scatter_by_hosts(setting, request);
    case Collective::all_gather:
      return all_gather_by_hosts(setting, request);
    case Collective::barrier:
      return barrier_by_first_ranks(setting, request);
    case Collective::send:
    case Collective::recv:
      if (setting.hosts.placement.host(request.root) == setting.hosts.here()) return message_here(setting, request);
      return whole_network(setting, request);
    default:
      return whole_network(setting, request);
  }
}

std::unique_ptr<Recipe> barrier_by_first_ranks(const Setting& setting, const Request& request) {
  return std::make_unique<Barrier>(setting, request);
}

std::unique_ptr<Recipe> message_here(const Setting& setting, const Request& request) {
  return std::make_unique<MessageHere>(setting, request);
}

}  // namespace tutti::two_level
