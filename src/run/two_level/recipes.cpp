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
constexpr bool here_network_here[] = {false, true, false};

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
        request_(request),
        plan_(local_plan(setting, request)) {
    stage_in(setting.staging, 0);
  }
  Action act(int, int stage) override {
    if (stage != 1) return Local{plan_.get(), nullptr, nullptr, &request_.op};
    if (first_ == nullptr) return {};
    return Remote{first_, request_};
  }

 private:
  Network* first_;
  Request request_;
  LocalPlan plan_;
};

Request with_local_peer(const Setting& setting, Request request) {
  request.root = setting.hosts.placement.local_rank(request.root);
  return request;
}

class MessageHere final : public Recipe {
 public:
  MessageHere(const Setting& setting, const Request& request)
      : Recipe(here, 1), request_(request), plan_(local_plan(setting, with_local_peer(setting, request))) {}
  Action act(int, int) override { return Local{plan_.get(), request_.in, request_.out, &request_.op}; }

 private:
  Request request_;
  LocalPlan plan_;
};

class WholeNetwork final : public Recipe {
 public:
  WholeNetwork(const Setting& setting, const Request& request)
      : Recipe(here_network_here, 1),
        whole_(setting.hosts.whole.get()),
        request_(request),
        shape_(shape_of(request, whole_->rank(), whole_->size())),
        reduces_(reduces(request.collective)),
        loop_(reduces_ ? host::loop_for(request.type, request.op) : nullptr) {
    if (scales()) stage_in(setting.staging, shape_.in * request.element_size);
  }

  Action act(int, int stage) override {
    switch (stage) {
      case 0:
        if (scales()) touch_first(request_, loop_, request_.in, slot(0), shape_.in);
        return {};
      case 1: {
        Request request = request_;
        request.op = without_touches(request_.op);
        if (scales()) request.in = slot(0);
        return Remote{whole_, request, reduces_ ? host::loop_for(request.type, request.op) : nullptr};
      }
      default:
        if (reduces_) touch_last(request_, loop_, request_.out, request_.out, shape_.out, whole_->size());
        return {};
    }
  }

 private:
  bool scales() const { return reduces_ && request_.op.kind == Op::premultiplied_sum; }

  Network* whole_;
  Request request_;
  Shape shape_;
  bool reduces_;
  host::Loop loop_;
};

bool is_empty(const Request& request) {
  switch (request.collective) {
    case Collective::barrier:
      return false;
    case Collective::all_to_all_v:
      return std::accumulate(request.counts.begin(), request.counts.end(), std::size_t{0}) == 0 &&
             std::accumulate(request.receive_counts.begin(), request.receive_counts.end(), std::size_t{0}) == 0;
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

std::unique_ptr<Recipe> whole_network(const Setting& setting, const Request& request) {
  return std::make_unique<WholeNetwork>(setting, request);
}

}  // namespace tutti::two_level
