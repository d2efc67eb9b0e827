/// @file  The machines of a simulated run: which links a message passes from one GPU to another, and how long it takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/simulated/flows.hpp"
#include "run/simulated/symmetry.hpp"
#include "tutti/run/simulated.hpp"
#include "tutti/topology/cluster.hpp"

namespace tutti::simulated {

struct Gpu {
  std::int64_t node = 0;
  int local = 0;
};

struct Way {
  Time latency = 0;
  std::vector<Hop> hops{};
};

class Machine {
 public:
  /// Links are made as ways need them, in `flows`, which must outlive this.
  Machine(const Scenario& scenario, const Cluster& cluster, const choose::Platform& platform, const Symmetry& symmetry,
          Flows& flows);

  /// Between two GPUs that are not one. Under a symmetry, `from` is on machine 0.
  Way way(const Gpu& from, const Gpu& to);

  /// Is this the switch inside its machine, one beyond the last GPU, or between machines, one beyond the last of these?
  bool is_switch(const Gpu& gpu) const { return gpu.local == gpus_ || gpu.node == nodes_; }

  int gpus() const { return gpus_; }
  std::int64_t nodes() const { return nodes_; }
  int rails() const { return rails_; }
  bool averaged() const { return averaged_; }
  bool has_tiers() const { return !tiers_.empty(); }

  /// The links of an adapter, both directions; of a GPU, inside its machine.
  std::vector<int> adapter_links(std::int64_t node, int rail);
  std::vector<int> gpu_links(const Gpu& gpu);
  Rate adapter_rate(int rail) const;
  Rate gpu_rate() const { return gpu_rate_; }
  /// No link carries more.
  Rate fastest() const { return std::max(gpu_rate_, rail_rate_); }

  /// What has passed the links until `end`, by kind, busiest first.
  std::vector<LinkLoad> loads(Time end) const;

 private:
  enum class Kind : std::uint8_t { gpu_out, gpu_in, adapter_out, adapter_in, up, down };
  struct Tier {
    std::string name;
    std::int64_t nodes = 0;  ///< in a group
    Time latency = 0;        ///< that a message takes more when it has to go through this tier
    double narrower = 1;     ///< what comes from below over what goes on upward, others' traffic included
    int level = 0;
  };
  struct Info {
    Kind kind;
    int tier;
    std::int64_t members;  ///< links that it stands for
    Rate rate;
  };

  int link(Kind kind, std::int64_t node, int index, int tier = 0);
  double leaving(const Gpu& from, const Gpu& to, std::int64_t distance, const Tier& tier) const;
  void through_tiers(const Gpu& from, const Gpu& to, int rail_from, int rail_to, Way& way);
  int rail_of(int local) const { return local * rails_ / gpus_; }
  std::string name_of(const Info& info) const;

  const Cluster& cluster_;
  Symmetry symmetry_;
  Flows& flows_;
  std::int64_t nodes_;
  int gpus_;
  int rails_;
  bool rail_optimised_ = true;
  bool averaged_ = false;
  std::string inner_name_;
  Rate gpu_rate_ = 0;
  Rate rail_rate_ = 0;
  std::vector<double> rail_shares_{};
  Time hop_inside_ = 0;
  Time hop_between_ = 0;
  Time hop_switch_inside_ = 0;
  Time hop_switch_between_ = 0;
  std::vector<Tier> tiers_{};
  std::unordered_map<std::uint64_t, int> ids_{};
  std::vector<Info> infos_{};
};

}  // namespace tutti::simulated
