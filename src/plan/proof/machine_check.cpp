/// @file  What the symbolic machine sees without running: steps that make no sense, wires that two lanes share.
#include <fmt/format.h>

#include "plan/proof/machine.hpp"

namespace tutti::plan {

namespace {

constexpr int wires_of_pair = pairwise_wire + 1;

}  // namespace

void Machine::check_peers(const Spot& spot, const Peers& peers) const {
  Ranks seen = 0;
  for (int i = 0; i < peers.count; ++i) {
    const int peer = peers[i];
    if (peer < 0 || peer >= program_.schedule.size) {
      throw Failure(fmt::format("{} names rank {}, which there is not", to_string(spot), peer));
    }
    if (peer == spot.rank) throw Failure(to_string(spot) + " names its own rank as a peer");
    if ((seen & only(peer)) != 0) throw Failure(fmt::format("{} names rank {} twice", to_string(spot), peer));
    seen |= only(peer);
  }
}

void Machine::check_step(const Spot& spot, const Step& step) const {
  if (step.barrier) {
    if (program_.steps[static_cast<std::size_t>(spot.rank)].size() > 1) {
      throw Failure(to_string(spot) + " is a barrier, but its rank has more than one lane");
    }
    return;
  }
  int block = step.blocks.first;
  for (int i = 0; i < step.blocks.count; ++i, block = step.blocks.after(block)) {
    if (block < 0 || block >= program_.blocks) {
      throw Failure(fmt::format("{} names block {}, of {}", to_string(spot), block, program_.blocks));
    }
  }
  check_peers(spot, step.from);
  check_peers(spot, step.to);
  const int sources = step.from.count + (step.own != Place::none ? 1 : 0);
  const int targets = step.to.count + (step.store != Place::none ? 1 : 0);
  if (sources == 0) throw Failure(to_string(spot) + " takes nothing");
  if (targets == 0) throw Failure(to_string(spot) + " puts its result nowhere");
  if (!step.combine && sources > 1) throw Failure(fmt::format("{} copies {} sources", to_string(spot), sources));
  if (step.combine && !meaning_.reduces() && !meaning_.is_barrier()) {
    throw Failure(to_string(spot) + " combines in a collective that only moves data");
  }
  if (step.finish && !meaning_.reduces()) {
    throw Failure(to_string(spot) + " finishes in a collective that reduces nothing");
  }
}

int& Machine::wire_number(int from, int to, int wire) {
  const auto pair =
      static_cast<std::size_t>(from) * static_cast<std::size_t>(program_.schedule.size) + static_cast<std::size_t>(to);
  return wire_numbers_[pair * static_cast<std::size_t>(wires_of_pair) + static_cast<std::size_t>(wire)];
}

Machine::Wire& Machine::wire(int from, int to, int wire) {
  return wires_[static_cast<std::size_t>(wire_number(from, to, wire))];
}

void Machine::claim_wires() {
  const auto size = static_cast<std::size_t>(program_.schedule.size);
  wire_numbers_.assign(size * size * wires_of_pair, -1);
  const auto claim = [&](int from, int to, int number, int lane, bool reads) {
    if (number >= wires_of_pair) throw Failure(fmt::format("wire {} from rank {} to {}: too many", number, from, to));
    int& index = wire_number(from, to, number);
    if (index < 0) {
      index = static_cast<int>(wires_.size());
      wires_.push_back({.from = from, .to = to, .number = number});
    }
    Wire& claimed = wires_[static_cast<std::size_t>(index)];
    int& user = reads ? claimed.reader : claimed.writer;
    if (user >= 0 && user != lane) {
      throw Failure(fmt::format("wire {} from rank {} to {} is {} by lane {} and by lane {}", number, from, to,
                                reads ? "read" : "written", lanes_[static_cast<std::size_t>(user)].spot.lane,
                                lanes_[static_cast<std::size_t>(lane)].spot.lane));
    }
    user = lane;
  };
  for (std::size_t number = 0; number < lanes_.size(); ++number) {
    Spot spot = lanes_[number].spot;
    for (const Step& step : *lanes_[number].steps) {
      check_step(spot, step);
      ++spot.index;
      const bool takes = step.from_place == Place::none;
      const bool sends = step.to_place == Place::none;
      for (int i = 0; takes && i < step.from.count; ++i) {
        claim(step.from[i], spot.rank, step.from_wire, static_cast<int>(number), true);
      }
      for (int i = 0; sends && i < step.to.count; ++i) {
        claim(spot.rank, step.to[i], step.to_wire, static_cast<int>(number), false);
      }
    }
  }
}

}  // namespace tutti::plan
