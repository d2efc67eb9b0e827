/// @file  Double binary tree: each half of the data climbs up and down its own tree, in log2 of the ranks
/// hops.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/seat.hpp"
#include "tutti/plan/step.hpp"

/// A tree over positions 1 … n, in order: odd positions are leaves, and one divisible by 2^k, but by no
/// higher power, stands k levels above them. Where n is not one less than a power of two, the right flank
/// hangs lower. For 7 and 6:
///
///            4                  4
///          /   \              /   \           The root is the largest power of two,
///        2       6          2       6         the depth log2 n, rounded down.
///       / \     / \        / \     /
///      1   3   5   7      1   3   5
///
/// Tree 0 puts rank r at position r + 1, tree 1 one further round the circle: whoever has children in one
/// tree is a leaf in the other, so that with half of the data on each, all ranks send and combine about as
/// much. all_reduce runs on trees over all ranks. broadcast and reduce hang the two trees of the other ranks
/// under the root.
namespace tutti::plan::tree {

/// The neighbours of `position` among 1 … count; 0: none.
TUTTI_HOST_DEVICE constexpr int parent(int position, int count) {
  const int bit = low_bit(position);
  const int above = (position - bit) | (bit << 1);
  return above <= count ? above : position - bit;
}
TUTTI_HOST_DEVICE constexpr int left_child(int position) {
  return (position & 1) != 0 ? 0 : position - low_bit(position) / 2;
}
TUTTI_HOST_DEVICE constexpr int right_child(int position, int count) {
  if ((position & 1) != 0 || position == count) return 0;
  const int full = low_bit(position) / 2;
  const int there = floor_power(count - position);
  return position + (there < full ? there : full);
}

/// One of the two trees, over `count` ranks of the circle from rank `first` on.
struct Tree {
  int first;
  int count;
  int size;   ///< of the circle
  int shift;  ///< 0 or 1: which tree

  TUTTI_HOST_DEVICE constexpr int position_of(int rank) const {
    return around(around(rank - first, size) + shift, count) + 1;
  }
  TUTTI_HOST_DEVICE constexpr int rank_at(int position) const {
    return around(first + around(position - 1 - shift, count), size);
  }
  TUTTI_HOST_DEVICE constexpr int top() const { return rank_at(floor_power(count)); }

  TUTTI_HOST_DEVICE constexpr Peers above(int rank) const {
    const int position = parent(position_of(rank), count);
    return position == 0 ? Peers{} : one(rank_at(position));
  }
  /// In ascending order of their ranks.
  TUTTI_HOST_DEVICE constexpr Peers below(int rank) const {
    const int position = position_of(rank);
    const int left = left_child(position);
    const int right = right_child(position, count);
    if (left == 0) return {};
    const int a = rank_at(left);
    if (right == 0) return one(a);
    const int b = rank_at(right);
    return a < b ? two(a, b, size) : two(b, a, size);
  }
};

TUTTI_HOST_DEVICE constexpr Tree over_all(const Seat& seat, int which) { return {0, seat.size, seat.size, which}; }
TUTTI_HOST_DEVICE constexpr Tree under_root(const Seat& seat, int which) {
  return {seat.rank_of(1), seat.size - 1, seat.size, which};
}

/// all_reduce: tree times {up, down}. broadcast, reduce: one for each tree. barrier: up and down on tree 0
/// alone.
TUTTI_HOST_DEVICE constexpr int lanes(Collective collective) { return collective == Collective::all_reduce ? 4 : 2; }

TUTTI_HOST_DEVICE constexpr int steps(Collective collective, const Seat& seat, int lane) {
  if (collective == Collective::broadcast || collective == Collective::reduce) return 1;
  if (collective != Collective::all_reduce && collective != Collective::barrier) return 0;
  return lane % 2 == 0 || over_all(seat, lane / 2).top() != seat.rank ? 1 : 0;
}

/// Lane 2t climbs tree t, lane 2t + 1 descends. The top turns around in one step, so its second lane is
/// empty.
TUTTI_HOST_DEVICE constexpr Step all_reduce(const Seat& seat, int lane, bool finish) {
  const int which = lane / 2;
  const auto wire = static_cast<std::uint8_t>(which);
  const Tree tree = over_all(seat, which);
  const Peers parent = tree.above(seat.rank);
  const Peers children = tree.below(seat.rank);
  Step step{.from_wire = wire, .to_wire = wire, .blocks = {which, 1}};
  if (lane % 2 == 1) {
    step.from = parent;
    step.store = Place::output;
    step.to = children;
    return step;
  }
  const bool top = parent.count == 0;
  step.from = children;
  step.own = Place::input;
  step.combine = children.count != 0;
  step.store = top ? Place::output : Place::none;
  step.finish = top && finish;
  step.to = top ? children : parent;
  return step;
}

TUTTI_HOST_DEVICE constexpr Step broadcast(const Seat& seat, int which) {
  const auto wire = static_cast<std::uint8_t>(which);
  const Tree tree = under_root(seat, which);
  Step step{.from_wire = wire, .to_wire = wire, .store = Place::output, .blocks = {which, 1}};
  if (seat.is_root()) {
    step.own = Place::input;
    step.to = one(tree.top());
  } else {
    const Peers parent = tree.above(seat.rank);
    step.from = parent.count == 0 ? one(seat.root) : parent;
    step.to = tree.below(seat.rank);
  }
  return step;
}

TUTTI_HOST_DEVICE constexpr Step reduce(const Seat& seat, int which) {
  const auto wire = static_cast<std::uint8_t>(which);
  const Tree tree = under_root(seat, which);
  Step step{.from_wire = wire, .to_wire = wire, .own = Place::input, .blocks = {which, 1}};
  if (seat.is_root()) {
    step.from = one(tree.top());
    step.combine = true;
    step.finish = true;
    step.store = Place::output;
  } else {
    const Peers parent = tree.above(seat.rank);
    step.from = tree.below(seat.rank);
    step.combine = step.from.count != 0;
    step.to = parent.count == 0 ? one(seat.root) : parent;
  }
  return step;
}

TUTTI_HOST_DEVICE constexpr Step step(Collective collective, const Seat& seat, int lane) {
  switch (collective) {
    case Collective::all_reduce:
      return all_reduce(seat, lane, true);
    case Collective::barrier:
      return all_reduce(seat, lane, false);
    case Collective::broadcast:
      return broadcast(seat, lane);
    case Collective::reduce:
      return reduce(seat, lane);
    default:
      return {};
  }
}

}  // namespace tutti::plan::tree
