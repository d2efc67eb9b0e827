/// @file  Recipes for one vector, in chunks: all_reduce, broadcast, reduce.
#include <algorithm>
#include <vector>

#include "run/two_level/recipes.hpp"

namespace tutti::two_level {

namespace {

/// What the three-stage recipes have in common.
class VectorRecipe : public Recipe {
 protected:
  VectorRecipe(const Setting& setting, const Request& request)
      : Recipe(here_network_here, chunks_of(request.count, request.element_size).rounds()),
        hosts_(setting.hosts),
        element_size_(request.element_size),
        chunks_(chunks_of(request.count, request.element_size)) {
    stage_in(chunks_.longest() * request.element_size);
  }

  const std::byte* chunk_in(int round) const { return in(chunks_.begin(round)); }
  std::byte* chunk_out(int round) const { return out(chunks_.begin(round)); }
  /// Of `count` elements of the round's slot, in place.
  Remote in_slot(int round, Network* network, Collective collective, std::size_t count, int root = 0) const {
    return remote(network, collective, slot(round), slot(round), count, root);
  }
  void finish(const std::byte* from, std::byte* to, std::size_t count) const {
    touch_last(from, to, count, hosts_.placement.ranks());
  }

  const Hosts& hosts_;
  std::size_t element_size_;
  Chunks chunks_;
};

/// One local rank's part of a chunk, in whole lines but for the last ones; parts are equal on all hosts.
struct Parts {
  Parts(std::size_t length, int ranks, std::size_t element_size) {
    const auto parts = static_cast<std::size_t>(ranks);
    const std::size_t line = std::max<std::size_t>(1, 64 / element_size);
    const std::size_t each = ((length + parts - 1) / parts + line - 1) / line * line;
    for (std::size_t begin = 0, i = 0; i < parts; ++i, begin += each) {
      counts.push_back(begin < length ? std::min(each, length - begin) : 0);
    }
  }
  std::vector<std::size_t> counts;
};

class ColumnAllReduce final : public VectorRecipe {
 public:
  ColumnAllReduce(const Setting& setting, const Request& request)
      : VectorRecipe(setting, request),
        ranks_(setting.hosts.ranks_here()),
        mine_(setting.team.rank()),
        scatter_(setting, chunks_, [&](std::size_t n) { return stage(request, Collective::reduce_scatter_v, n); }),
        gather_(setting, chunks_, [&](std::size_t n) { return stage(request, Collective::all_gather_v, n); }) {}

  Action act(int round, int stage) override {
    switch (stage) {
      case 0:
        return Local{scatter_.of(chunks_, round), chunk_in(round), slot(round), &local_op()};
      case 1:
        return in_slot(round, hosts_.column(mine_), Collective::all_reduce, part(round));
      default:
        finish(slot(round), slot(round), part(round));
        return Local{gather_.of(chunks_, round), slot(round), chunk_out(round), &local_op()};
    }
  }

 private:
  Request stage(const Request& request, Collective collective, std::size_t length) {
    parts_ = Parts(length, ranks_, element_size_).counts;
    Request stage = derived(request, collective, 0);
    stage.counts = parts_;
    return stage;
  }
  std::size_t part(int round) const {
    return Parts(chunks_.length(round), ranks_, element_size_).counts[static_cast<std::size_t>(mine_)];
  }

  int ranks_;
  int mine_;
  std::vector<std::size_t> parts_;  ///< of the plan being made
  LocalPlans scatter_;
  LocalPlans gather_;
};

/// What a stage does with whole chunks, from or to one local rank.
auto rooted(const Request& request, Collective collective, int root) {
  return [=](std::size_t length) {
    Request stage = derived(request, collective, length);
    stage.root = root;
    return stage;
  };
}

class FirstRanksAllReduce final : public VectorRecipe {
 public:
  FirstRanksAllReduce(const Setting& setting, const Request& request)
      : VectorRecipe(setting, request),
        is_first_(setting.team.rank() == 0),
        reduce_(setting, chunks_, rooted(request, Collective::reduce, 0)),
        broadcast_(setting, chunks_, rooted(request, Collective::broadcast, 0)) {}

  Action act(int round, int stage) override {
    switch (stage) {
      case 0:
        return Local{reduce_.of(chunks_, round), chunk_in(round), slot(round), &local_op()};
      case 1:
        if (!is_first_) return {};
        return in_slot(round, hosts_.column(0), Collective::all_reduce, chunks_.length(round));
      default:
        if (is_first_) finish(slot(round), slot(round), chunks_.length(round));
        return Local{broadcast_.of(chunks_, round), slot(round), chunk_out(round), &local_op()};
    }
  }

 private:
  bool is_first_;
  LocalPlans reduce_;
  LocalPlans broadcast_;
};

/// What broadcast and reduce have in common: the root's column, and its member here.
class RootedRecipe : public VectorRecipe {
 protected:
  RootedRecipe(const Setting& setting, const Request& request, Collective local)
      : VectorRecipe(setting, request),
        is_root_(hosts_.rank() == request.root),
        root_host_(hosts_.placement.host(request.root)),
        network_(hosts_.column(hosts_.placement.local_rank(request.root))),
        plans_(setting, chunks_,
               rooted(request, local, hosts_.member_here(hosts_.placement.local_rank(request.root)))) {}

  bool is_root_;
  int root_host_;
  Network* network_;  ///< null: this rank is not in the column
  LocalPlans plans_;
};

class ColumnBroadcast final : public RootedRecipe {
 public:
  ColumnBroadcast(const Setting& setting, const Request& request)
      : RootedRecipe(setting, request, Collective::broadcast) {}

  Action act(int round, int stage) override {
    switch (stage) {
      case 0:
        if (is_root_) std::copy_n(chunk_in(round), chunks_.length(round) * element_size_, slot(round));
        return {};
      case 1:
        if (network_ == nullptr) return {};
        return in_slot(round, network_, Collective::broadcast, chunks_.length(round), root_host_);
      default:
        return Local{plans_.of(chunks_, round), slot(round), chunk_out(round), &local_op()};
    }
  }
};

class ColumnReduce final : public RootedRecipe {
 public:
  ColumnReduce(const Setting& setting, const Request& request) : RootedRecipe(setting, request, Collective::reduce) {}

  Action act(int round, int stage) override {
    switch (stage) {
      case 0:
        return Local{plans_.of(chunks_, round), chunk_in(round), slot(round), &local_op()};
      case 1:
        if (network_ == nullptr) return {};
        return in_slot(round, network_, Collective::reduce, chunks_.length(round), root_host_);
      default:
        if (is_root_) finish(slot(round), chunk_out(round), chunks_.length(round));
        return {};
    }
  }
};

}  // namespace

std::unique_ptr<Recipe> all_reduce_by_columns(const Setting& setting, const Request& request) {
  return std::make_unique<ColumnAllReduce>(setting, request);
}

std::unique_ptr<Recipe> all_reduce_by_first_ranks(const Setting& setting, const Request& request) {
  return std::make_unique<FirstRanksAllReduce>(setting, request);
}

std::unique_ptr<Recipe> broadcast_by_column(const Setting& setting, const Request& request) {
  return std::make_unique<ColumnBroadcast>(setting, request);
}

std::unique_ptr<Recipe> reduce_by_column(const Setting& setting, const Request& request) {
  return std::make_unique<ColumnReduce>(setting, request);
}

}  // namespace tutti::two_level
