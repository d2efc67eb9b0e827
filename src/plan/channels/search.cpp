#include "plan/channels/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

namespace tutti::plan {

namespace {

constexpr double slack = 1e-9;  // of what sums of shares lose

/// Shuffles ties, the same way for the same seed.
std::uint32_t mixed(std::uint32_t value) {
  value = (value ^ (value >> 16)) * 0x45d9f3bU;
  value = (value ^ (value >> 16)) * 0x45d9f3bU;
  return value ^ (value >> 16);
}

}  // namespace

HopGraph hop_graph(const Topology& topology, std::vector<int> gpus, std::vector<double> capacity) {
  HopGraph graph{.gpus = std::move(gpus), .capacity = std::move(capacity)};
  graph.hops.reserve(graph.gpus.size() * graph.gpus.size());
  for (const int from : graph.gpus) {
    for (const int to : graph.gpus) graph.hops.push_back(hop(topology, from, to));
  }
  return graph;
}

HopGraph only_up_to(HopGraph graph, PathClass farthest) {
  for (Hop& hop : graph.hops) {
    if (hop.path > farthest) hop = Hop{};
  }
  return graph;
}

bool Search::fits(const Hop& hop, double width) const {
  if (hop.uses.empty()) return false;
  return std::all_of(hop.uses.begin(), hop.uses.end(), [&](const Use& use) {
    return left_[static_cast<std::size_t>(use.wire)] >= width * use.share * (1 - slack);
  });
}

void Search::take(const Hop& hop, double width) {
  for (const Use& use : hop.uses) left_[static_cast<std::size_t>(use.wire)] -= width * use.share;
}

bool Search::take_ring(const std::vector<int>& order, double width) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Hop& next = graph_.between(order[i], order[(i + 1) % order.size()]);
    if (!fits(next, width)) {
      while (i-- > 0) take(graph_.between(order[i], order[i + 1]), -width);
      return false;
    }
    take(next, width);
  }
  return true;
}

void Search::give_back(const std::vector<int>& order, double width) {
  for (std::size_t i = 0; i < order.size(); ++i) take(graph_.between(order[i], order[(i + 1) % order.size()]), -width);
}

/// Nearest class first, then where most is left, then the next by number (or, with a seed, by chance).
std::vector<int> Search::next_of(int at, double width) const {
  std::vector<std::tuple<PathClass, double, std::uint32_t, int>> keyed;
  const int size = graph_.size();
  const bool before_last = static_cast<int>(order_.size()) == size - 1;
  for (int to = 0; to < size; ++to) {
    if (visited_[static_cast<std::size_t>(to)] || (to == last_ && !before_last)) continue;
    const Hop& next = graph_.between(at, to);
    if (!fits(next, width)) continue;
    double left = 1e9;
    for (const Use& use : next.uses) left = std::min(left, left_[static_cast<std::size_t>(use.wire)] / use.share);
    const auto number = static_cast<std::uint32_t>((to - at + size) % size);
    const auto chance = mixed(seed_ * 7919U + static_cast<std::uint32_t>(at * size + to));
    keyed.emplace_back(next.path, -std::floor(left / width * (1 + slack)), seed_ == 0 ? number : chance, to);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<int> list;
  for (const auto& key : keyed) list.push_back(std::get<3>(key));
  return list;
}

bool Search::extend(double width) {
  const int at = order_.back();
  if (static_cast<int>(order_.size()) == graph_.size()) {
    if (last_ >= 0) return at == last_;
    const Hop& home = graph_.between(at, order_.front());
    if (!fits(home, width)) return false;
    take(home, width);
    return true;
  }
  for (const int to : next_of(at, width)) {
    if (++work_ > stop_at_) return false;
    const Hop& next = graph_.between(at, to);
    take(next, width);
    order_.push_back(to);
    visited_[static_cast<std::size_t>(to)] = true;
    if (extend(width)) return true;
    visited_[static_cast<std::size_t>(to)] = false;
    order_.pop_back();
    take(next, -width);
  }
  return false;
}

std::vector<int> Search::run(double width, int first, int last, unsigned seed) {
  stop_at_ = std::min(work_ + most_work_of_one, most_work_);
  order_ = {first};
  visited_.assign(graph_.gpus.size(), false);
  visited_[static_cast<std::size_t>(first)] = true;
  last_ = graph_.size() == 1 ? -1 : last;
  seed_ = seed;
  if (graph_.size() == 1) return last >= 0 ? order_ : std::vector<int>{};
  return extend(width) ? order_ : std::vector<int>{};
}

std::vector<int> Search::ring(double width, unsigned seed) { return run(width, 0, -1, seed); }
std::vector<int> Search::way(double width, int first, int last) { return run(width, first, last, 0); }

/// Does each GPU have a way out and in of that width, and do these lead everywhere? Cheap, and most widths fail it. Looks
/// at every pair, which is as much as a hop tried from each GPU.
bool Search::possible(double width) {
  const int size = graph_.size();
  work_ += size;
  for (const bool out : {true, false}) {
    std::vector<int> frontier{0};
    std::vector<bool> reached(graph_.gpus.size(), false);
    reached[0] = true;
    std::size_t count = 1;
    while (!frontier.empty()) {
      const int at = frontier.back();
      frontier.pop_back();
      for (int to = 0; to < size; ++to) {
        if (reached[static_cast<std::size_t>(to)] ||
            !fits(out ? graph_.between(at, to) : graph_.between(to, at), width))
          continue;
        reached[static_cast<std::size_t>(to)] = true;
        ++count;
        frontier.push_back(to);
      }
    }
    if (count != graph_.gpus.size()) return false;
  }
  return true;
}

/// What may be the narrowest part of a ring: what a wire has left, for one hop, two or three over it.
std::vector<double> Search::widths(double widest) {
  work_ += graph_.size();
  std::vector<double> list;
  std::vector<bool> seen(left_.size(), false);
  for (const Hop& hop : graph_.hops) {
    for (const Use& use : hop.uses) {
      if (seen[static_cast<std::size_t>(use.wire)]) continue;
      seen[static_cast<std::size_t>(use.wire)] = true;
      for (const int times : {1, 2, 3, 4}) {
        const double width = left_[static_cast<std::size_t>(use.wire)] / use.share / times;
        if (width > 0.01) list.push_back(std::min(width, widest));
      }
    }
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end(), [](double a, double b) { return b - a < 1e-6 * b; }), list.end());
  return list;
}

std::vector<int> Search::widest_ring(double& widest, unsigned seed) {
  if (auto order = ring(widest, seed); !order.empty()) return order;
  const auto list = widths(widest);
  std::size_t low = 0;
  std::size_t high = list.size();
  std::vector<int> best;
  double width = 0;
  while (low < high && !tired()) {
    const std::size_t middle = (low + high) / 2;
    auto order = possible(list[middle]) ? ring(list[middle], seed) : std::vector<int>{};
    if (order.empty()) {
      high = middle;
    } else {
      give_back(order, list[middle]);
      best = std::move(order);
      width = list[middle];
      low = middle + 1;
    }
  }
  if (!best.empty()) take_ring(best, width);
  widest = width;
  return best;
}

}  // namespace tutti::plan
