/// @file  Flows: messages on their way over links, which share what they meet on by max-min fairness.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/simulated/clock.hpp"

namespace tutti::simulated {

/// A link on the way of a flow. Where a flow stands for many that are alike, `weight` is how many of them pass one
/// such link.
struct Hop {
  int link = 0;
  std::int64_t weight = 1;
};
inline constexpr std::size_t most_hops = 8;

/// Every flow gets a share of each link on its way; the smallest counts. Shares are max-min fair: nobody can get more
/// without somebody, who has as little, getting less. All arithmetic is in whole numbers, and links that are equally
/// narrow are filled at once, so that flows that are alike get the same to the last bit, however many stand for how many.
class Flows {
 public:
  int add_link(Rate capacity);
  void set_capacity(int link, Rate capacity);

  /// Returns its number, which is used again after `end`.
  int begin(std::span<const Hop> way, std::uint64_t bytes, int owner, Time now);
  void end(int flow);
  int owner(int flow) const { return flows_[at(flow)].owner; }
  std::uint32_t version(int flow) const { return flows_[at(flow)].version; }

  /// Shares anew where flows began or ended. Calls `finishes(flow, version, time)` for each flow whose end is another now;
  /// an end that was told before with another version is void.
  template <class Finishes>
  void settle(Time now, Finishes finishes) {
    for (const int link : dirty_) {
      links_[at(link)].dirty = false;
      if (links_[at(link)].mark == epoch_ || links_[at(link)].crossing.empty()) continue;
      share(link);
    }
    dirty_.clear();
    ++epoch_;
    for (const int id : changed_) {
      Flow& flow = flows_[at(id)];
      move_on(flow, now);
      flow.rate = flow.next_rate;
      ++flow.version;
      const Time rest = duration(flow.left, flow.rate);
      if (rest != never) finishes(id, flow.version, now + rest);
    }
    changed_.clear();
  }

  /// Bytes that have passed a link, all flows that it stands for.
  double carried(int link) const { return links_[at(link)].carried; }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  struct Crossing {
    int flow;
    int hop;
  };
  struct Link {
    Rate capacity = 0;
    double carried = 0;
    std::vector<Crossing> crossing{};
    std::uint64_t mark = 0;  ///< the epoch in which it was shared last
    bool dirty = false;
    Rate left = 0;          ///< while sharing
    std::int64_t open = 0;  ///< while sharing: weight that has no rate yet
  };
  struct Flow {
    Work left = 0;
    Time since = 0;
    Rate rate = -1;
    Rate next_rate = 0;
    std::uint64_t bytes = 0;
    std::uint64_t mark = 0;
    std::uint32_t version = 0;
    int owner = 0;
    std::uint8_t hops = 0;
    bool open = false;
    std::array<Hop, most_hops> way{};
    std::array<int, most_hops> place{};  ///< in the links' lists
  };

  void touch(int link);
  bool alone(int link);
  void share(int first);
  void fill();
  static void move_on(Flow& flow, Time now);

  std::vector<Link> links_{};
  std::vector<Flow> flows_{};
  std::vector<int> free_{};
  std::vector<int> dirty_{};
  std::vector<int> changed_{};
  std::vector<int> links_now_{};  ///< of the part being shared
  std::vector<int> flows_now_{};
  std::uint64_t epoch_ = 1;
};

}  // namespace tutti::simulated
