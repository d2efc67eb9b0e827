#include "run/host/schedule_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tutti::host {

namespace {

/// From this size on, streaming stores into slots pay; below, the flag's line is the message.
constexpr std::size_t streaming_from = 4096;
/// Results larger than the caches are written around them.
constexpr std::size_t streaming_output_from = std::size_t{8} << 20;

}  // namespace

void ScheduleRun::begin(const plan::Schedule& schedule, const plan::Layout& layout, Protocol protocol,
                        const Operands& operands, Team& team) {
  schedule_ = schedule;
  layout_ = layout;
  protocol_ = protocol;
  operands_ = operands;
  opened_ = false;
  if (schedule.window || operands.element_size == 0) {
    chunk_ = std::max<std::size_t>(1, layout_.longest());
  } else {
    const std::size_t capacity = team.wires().capacity(protocol) / operands.element_size;
    chunk_ = std::max<std::size_t>(1, capacity / static_cast<std::size_t>(plan::blocks_per_step(schedule)));
    // Chunks of whole lines keep vector stores aligned; the last chunk of a block takes what is left.
    const std::size_t line = std::max<std::size_t>(1, 64 / operands.element_size);
    if (chunk_ > line) chunk_ -= chunk_ % line;
  }
  rounds_ = schedule.window ? 1 : plan::rounds(layout_, chunk_);
  scratch_ = plan::needs_scratch(schedule) ? team.scratch(layout_.scratch_elements() * operands.element_size) : nullptr;
  const auto most = static_cast<std::size_t>(team.size()) + 1;
  if (sources_.size() < most) {
    sources_.resize(most);
    destinations_.resize(most);
  }
  lane_count_ = plan::lanes(schedule);
  for (int l = 0; l < lane_count_; ++l) {
    lanes_[l].index = 0;
    lanes_[l].round = 0;
    lanes_[l].loaded = false;
    lanes_[l].steps = plan::steps(schedule, team.rank(), l);
  }
}

ScheduleRun::Progress ScheduleRun::advance(Team& team) {
  bool finished = true;
  bool moved = true;
  while (moved) {
    moved = false;
    finished = true;
    for (int l = 0; l < lane_count_; ++l) {
      Lane& lane = lanes_[l];
      while (lane.round < rounds_ && lane.steps > 0) {
        if (!lane.loaded) {
          lane.step = plan::step(schedule_, team.rank(), l, lane.index);
          lane.loaded = true;
          lane.arrived = false;
          lane.from_ready = 0;
          lane.to_ready = 0;
        }
        const Outcome outcome = attempt(lane, team);
        if (outcome == Outcome::closed) return Progress::closed;
        if (outcome == Outcome::blocked) {
          finished = false;
          break;
        }
        moved = true;
        lane.loaded = false;
        if (++lane.index == lane.steps) {
          lane.index = 0;
          ++lane.round;
        }
      }
    }
    if (lane_count_ == 1) break;
  }
  return finished ? Progress::finished : Progress::blocked;
}

ScheduleRun::Outcome ScheduleRun::attempt(Lane& lane, Team& team) {
  if (lane.step.barrier) return pass_barrier(lane, team);
  if (step_length(lane) == 0) return Outcome::done;
  if (!everything_ready(lane, team)) return Outcome::blocked;
  transfer(lane, team);
  return Outcome::done;
}

ScheduleRun::Outcome ScheduleRun::pass_barrier(Lane& lane, Team& team) {
  if (!lane.arrived) {
    lane.arrived = true;
    if (opened_) {
      team.arrive(nullptr);
    } else {
      const Team::Window window{operands_.in, operands_.out, operands_.in_bytes, operands_.out_bytes};
      team.arrive(&window);
    }
  }
  if (!team.all_arrived()) return Outcome::blocked;
  if (!opened_ && !team.windows_open(plan::works_in_place(schedule_))) return Outcome::closed;
  opened_ = true;
  return Outcome::done;
}

std::size_t ScheduleRun::piece_length(const Lane& lane, int block) const {
  const std::size_t length = layout_.length(lane.step, block);
  const std::size_t begin = lane.round * chunk_;
  return begin >= length ? 0 : std::min(chunk_, length - begin);
}

std::size_t ScheduleRun::step_length(const Lane& lane) const {
  std::size_t total = 0;
  const plan::Blocks& blocks = lane.step.blocks;
  for (int i = 0, block = blocks.first; i < blocks.count; ++i, block = blocks.after(block)) {
    total += piece_length(lane, block);
  }
  return total;
}

bool ScheduleRun::everything_ready(Lane& lane, Team& team) {
  const plan::Step& step = lane.step;
  if (step.from_place == plan::Place::none) {
    for (; lane.from_ready < step.from.count; ++lane.from_ready) {
      if (!team.wires().can_receive(protocol_, step.from[lane.from_ready], step.from_wire)) return false;
    }
  }
  if (step.to_place == plan::Place::none) {
    for (; lane.to_ready < step.to.count; ++lane.to_ready) {
      if (!team.wires().can_send(protocol_, step.to[lane.to_ready], step.to_wire)) return false;
    }
  }
  return true;
}

void ScheduleRun::transfer(const Lane& lane, Team& team) {
  const plan::Step& step = lane.step;
  std::size_t in_slot = 0;
  for (int i = 0, block = step.blocks.first; i < step.blocks.count; ++i, block = step.blocks.after(block)) {
    const std::size_t elements = piece_length(lane, block);
    if (elements == 0) continue;
    if (operands_.element_size != 0) transfer_piece(lane, team, block, elements, in_slot);
    in_slot += elements * operands_.element_size;
  }
  if (step.to_place == plan::Place::none) {
    for (int i = 0; i < step.to.count; ++i) team.wires().post(protocol_, step.to[i], step.to_wire);
  }
  if (step.from_place == plan::Place::none) {
    for (int i = 0; i < step.from.count; ++i) team.wires().take(protocol_, step.from[i], step.from_wire);
  }
}

void ScheduleRun::transfer_piece(const Lane& lane, Team& team, int block, std::size_t elements, std::size_t in_slot) {
  const plan::Step& step = lane.step;
  const std::size_t size = operands_.element_size;
  const std::size_t bytes = elements * size;
  const auto at = [&](plan::Place place, int rank) -> std::size_t {
    return (layout_.offset(place, block, rank) + lane.round * chunk_) * size;
  };
  const auto here = [&](plan::Place place) -> std::byte* {
    switch (place) {
      case plan::Place::input:
        return const_cast<std::byte*>(operands_.in) + at(place, team.rank());  // NOLINT: read only
      case plan::Place::output:
        return operands_.out + at(place, team.rank());
      default:
        return scratch_ + at(place, team.rank());
    }
  };
  const auto from_peer = [&](int peer) -> const void* {
    if (step.from_place == plan::Place::none) return team.wires().incoming(protocol_, peer, step.from_wire) + in_slot;
    return (step.from_place == plan::Place::input ? team.window_in(peer) : team.window_out(peer)) +
           at(step.from_place, peer);
  };

  // Destinations: the own one first. Slots and large results are written around the caches where that is
  // cheaper.
  int destinations = 0;
  std::uint32_t streaming = 0;
  if (step.store != plan::Place::none) {
    if (operands_.out_bytes >= streaming_output_from) streaming |= 1U;
    destinations_[destinations++] = here(step.store);
  }
  const bool far_slots =
      step.to_place == plan::Place::none && bytes >= streaming_from && team.slot_stores() == SlotStores::streaming;
  for (int i = 0; i < step.to.count; ++i) {
    const int peer = step.to[i];
    if (far_slots && destinations < 32) streaming |= 1U << destinations;
    destinations_[destinations++] = step.to_place == plan::Place::none
                                        ? team.wires().outgoing(protocol_, peer, step.to_wire) + in_slot
                                        : team.window_out(peer) + at(step.to_place, peer);
  }
  if (destinations == 0) return;

  if (!step.combine) {
    const void* only = step.own != plan::Place::none ? here(step.own) : from_peer(step.from[0]);
    if (step.own != plan::Place::input || operands_.op == nullptr || operands_.op->kind != Op::premultiplied_sum) {
      copy(only, destinations_.data(), destinations, bytes, streaming);
      return;
    }
    sources_[0] = only;  // a contribution leaves this rank unreduced: it is scaled here
    operands_.loop({sources_.data(), 1, destinations_.data(), destinations, elements, 0, 0, streaming},
                   operands_.op->state);
    return;
  }

  // Sources, in ascending order of their ranks.
  int sources = 0;
  int own_at = -1;
  if (step.from.count == team.size() - 1) {
    for (int rank = 0; rank < team.size(); ++rank) {
      if (rank != team.rank()) {
        sources_[sources++] = from_peer(rank);
      } else if (step.own != plan::Place::none) {
        own_at = sources;
        sources_[sources++] = here(step.own);
      }
    }
  } else {  // at most two peers
    int ranks[3];
    const auto insert = [&](int rank, const void* data) {
      int place = sources++;
      for (; place > 0 && ranks[place - 1] > rank; --place) {
        ranks[place] = ranks[place - 1];
        sources_[place] = sources_[place - 1];
      }
      ranks[place] = rank;
      sources_[place] = data;
    };
    for (int i = 0; i < step.from.count; ++i) insert(step.from[i], from_peer(step.from[i]));
    if (step.own != plan::Place::none) {
      insert(team.rank(), here(step.own));
      own_at = static_cast<int>(std::find(ranks, ranks + sources, team.rank()) - ranks);
    }
  }
  operands_.loop({sources_.data(), sources, destinations_.data(), destinations, elements,
                  step.own == plan::Place::input ? own_at : -1, step.finish ? team.size() : 0, streaming},
                 operands_.op->state);
}

ScheduleRun::Awaited ScheduleRun::awaited(const Team& team) const {
  for (int l = 0; l < lane_count_; ++l) {
    const Lane& lane = lanes_[l];
    if (lane.round >= rounds_ || lane.steps == 0 || !lane.loaded) continue;
    const plan::Step& step = lane.step;
    const auto where = [&](const char* what) {
      return fmt::format("{} in step {} of {} (lane {}, chunk {} of {})", what, lane.index + 1, lane.steps, l,
                         lane.round + 1, rounds_);
    };
    if (step.barrier) {
      const int peer = team.missing();
      return {where("its arrival at the barrier"), peer};
    }
    if (step.from_place == plan::Place::none && lane.from_ready < step.from.count) {
      return {where("a message"), step.from[lane.from_ready]};
    }
    if (step.to_place == plan::Place::none && lane.to_ready < step.to.count) {
      return {where("room for a message"), step.to[lane.to_ready]};
    }
  }
  return {"its turn after earlier calls", -1};
}

}  // namespace tutti::host
