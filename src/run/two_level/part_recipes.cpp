/// @file  Recipes for a part of each rank, host by host: reduce_scatter, all_gather.
#include <algorithm>

#include "run/two_level/recipes.hpp"

namespace tutti::two_level {

namespace {

/// Up to here, all hosts' parts go through the network in one call: fewer messages. Beyond, host by host, so that one
/// host's part is on its way while the next one's is reduced.
constexpr std::size_t one_call_bytes = std::size_t{256} << 10;

/// Round h is about the ranks of host h, whose parts lie together: rank first + l has part l of that section.
class SectionRecipe : public Recipe {
 protected:
  SectionRecipe(const Setting& setting, const Request& request, Collective local)
      : Recipe(here_network_here, static_cast<std::size_t>(setting.hosts.placement.hosts())),
        hosts_(setting.hosts),
        count_(request.count),
        part_bytes_(request.count * request.element_size),
        one_call_(part_bytes_ * static_cast<std::size_t>(rounds()) <= one_call_bytes),
        network_(setting.hosts.column(setting.team.rank())),
        plan_(local_plan(setting, derived(request, local, request.count))) {
    stage_in(one_call_ ? part_bytes_ * static_cast<std::size_t>(rounds() + 1) : part_bytes_);
  }

  /// Elements before a host's section.
  std::size_t section(int host) const { return static_cast<std::size_t>(host * hosts_.ranks_here()) * count_; }
  /// What host `host`'s member of the column has to do with it: a part.
  std::byte* part(int host) const {
    return one_call_ ? slot(0) + static_cast<std::size_t>(host) * part_bytes_ : slot(host);
  }
  bool is_last(int round) const { return round == rounds() - 1; }

  Remote by_column(Collective collective, std::byte* from, std::byte* to, int root = 0) const {
    return remote(network_, collective, from, to, count_, root);
  }

  const Hosts& hosts_;
  std::size_t count_;
  std::size_t part_bytes_;
  bool one_call_;
  Network* network_;
  LocalPlan plan_;
};

class SectionReduceScatter final : public SectionRecipe {
 public:
  SectionReduceScatter(const Setting& setting, const Request& request)
      : SectionRecipe(setting, request, Collective::reduce_scatter) {}

  Action act(int round, int stage) override {
    switch (stage) {
      case 0:
        return Local{plan_.get(), in(section(round)), part(round), &local_op()};
      case 1:
        if (!one_call_) return by_column(Collective::reduce, part(round), part(round), round);
        if (!is_last(round)) return {};
        return by_column(Collective::reduce_scatter, part(0), result());
      default:
        if (one_call_ ? is_last(round) : round == hosts_.here()) {
          touch_last(one_call_ ? result() : part(round), out(0), count_, hosts_.placement.ranks());
        }
        return {};
    }
  }

 private:
  std::byte* result() const { return part(rounds()); }
};

class SectionAllGather final : public SectionRecipe {
 public:
  SectionAllGather(const Setting& setting, const Request& request)
      : SectionRecipe(setting, request, Collective::all_gather) {}

  Action act(int round, int stage) override {
    switch (stage) {
      case 0:
        if (one_call_ ? round == 0 : round == hosts_.here()) {
          std::copy_n(in(0), part_bytes_, part(hosts_.here()));
        }
        return {};
      case 1:
        if (!one_call_) return by_column(Collective::broadcast, part(round), part(round), round);
        if (round > 0) return {};
        return by_column(Collective::all_gather, part(hosts_.here()), part(0));
      default:
        return Local{plan_.get(), part(round), out(section(round)), &local_op()};
    }
  }
};

}  // namespace

std::unique_ptr<Recipe> reduce_scatter_by_hosts(const Setting& setting, const Request& request) {
  return std::make_unique<SectionReduceScatter>(setting, request);
}

std::unique_ptr<Recipe> all_gather_by_hosts(const Setting& setting, const Request& request) {
  return std::make_unique<SectionAllGather>(setting, request);
}

}  // namespace tutti::two_level
