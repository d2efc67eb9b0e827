/// @file  Search: rings, or ways from one GPU to another over all, that fit what the wires have left.
#pragma once

#include <vector>

#include "plan/channels/hops.hpp"

namespace tutti::plan {

/// The GPUs of one domain and how each reaches each.
struct HopGraph {
  std::vector<int> gpus{};  ///< device ids
  std::vector<Hop> hops{};  ///< from i to j at i * size + j
  std::vector<double> capacity{};

  int size() const { return static_cast<int>(gpus.size()); }
  const Hop& between(int from, int to) const {
    return hops[static_cast<std::size_t>(from) * gpus.size() + static_cast<std::size_t>(to)];
  }
};

HopGraph hop_graph(const Topology& topology, std::vector<int> gpus, std::vector<double> capacity);

/// The same without the hops of a class beyond `farthest`.
HopGraph only_up_to(HopGraph graph, PathClass farthest);

class Search {
 public:
  Search(const HopGraph& graph, long most_work) : graph_(graph), left_(graph.capacity), most_work_(most_work) {}

  /// An order of all GPUs such that each hop has `width` left, and the last has it to the first; or, where `last` is not
  /// -1, from `first` to `last`. Empty when there is none, or none was found in time. Takes what it uses.
  std::vector<int> ring(double width, unsigned seed);
  std::vector<int> way(double width, int first, int last);

  /// The widest ring, of at most `widest`; its width goes there.
  std::vector<int> widest_ring(double& widest, unsigned seed);

  bool fits(const Hop& hop, double width) const;
  void take(const Hop& hop, double width);
  bool take_ring(const std::vector<int>& order, double width);  ///< false, and nothing taken, when it does not fit
  void restart() { left_ = graph_.capacity; }

  long work() const { return work_; }
  bool tired() const { return work_ >= most_work_; }

 private:
  void give_back(const std::vector<int>& order, double width);
  bool extend(double width);
  std::vector<int> next_of(int at, double width) const;
  std::vector<int> run(double width, int first, int last, unsigned seed);
  bool possible(double width);
  std::vector<double> widths(double widest);

  static constexpr long most_work_of_one = 4000;

  const HopGraph& graph_;
  std::vector<double> left_;
  long most_work_;
  long work_ = 0;
  long stop_at_ = 0;  ///< of the run at hand
  std::vector<int> order_;
  std::vector<bool> visited_;
  int last_ = -1;
  unsigned seed_ = 0;
};

}  // namespace tutti::plan
