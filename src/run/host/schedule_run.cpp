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

void ScheduleRun::begin(const HostPreparation& plan, const void* in, void* out, const ReduceOp& op, Team& team) {
  plan_ = &plan;
  in_ = static_cast<const std::byte*>(in);
  out_ = static_cast<std::byte*>(out);
  op_ = &op;
  opened_ = false;
  scratch_ = plan.scratch_bytes != 0 ? team.scratch(plan.scratch_bytes) : nullptr;
  const auto most = static_cast<std::size_t>(team.size()) + 1;
  if (sources_.size() < most) {
    sources_.resize(most);
    destinations_.resize(most);
  }
  for (int l = 0; l < plan.lane_count; ++l) {
    const plan::Step* first = plan.steps.data() + plan.lanes[l].first;
    const plan::Step* end = first + plan.lanes[l].steps;
    lanes_[l] = {first, first, end, first == end ? plan.rounds : 0, 0, 0, false};
  }
}

ScheduleRun::Progress ScheduleRun::advance(Team& team) {
  const int lane_count = plan_->lane_count;
  for (;;) {
    bool moved = false;
    bool finished = true;
    for (int l = 0; l < lane_count; ++l) {
      Lane& lane = lanes_[l];
      while (lane.round < plan_->rounds) {
        const Progress progress = attempt(lane, team);
        if (progress == Progress::closed) return progress;
        if (progress == Progress::blocked) {
          finished = false;
          break;
        }
        moved = true;
        lane.from_ready = 0;
        lane.to_ready = 0;
        lane.arrived = false;
        if (++lane.step == lane.end) {
          lane.step = lane.first;
          ++lane.round;
        }
      }
    }
    if (finished) return Progress::finished;
    // What one lane has done may be what another waits for only by way of other ranks; so look at most once more.
    if (!moved || lane_count == 1) return Progress::blocked;
  }
}

ScheduleRun::Progress ScheduleRun::attempt(Lane& lane, Team& team) {
  if (lane.step->barrier) return pass_barrier(lane, team);
  if (step_length(lane) == 0) return Progress::finished;
  if (!everything_ready(lane, team)) return Progress::blocked;
  transfer(lane, team);
  return Progress::finished;
}

ScheduleRun::Progress ScheduleRun::pass_barrier(Lane& lane, Team& team) {
  if (!lane.arrived) {
    lane.arrived = true;
    if (opened_) {
      team.arrive(nullptr);
    } else {
      const Team::Window window{in_, out_, plan_->in_bytes, plan_->out_bytes};
      team.arrive(&window);
    }
  }
  if (!team.all_arrived()) return Progress::blocked;
  if (!opened_ && !team.windows_open(plan::works_in_place(plan_->schedule))) return Progress::closed;
  opened_ = true;
  return Progress::finished;
}

std::size_t ScheduleRun::piece_length(const Lane& lane, int block) const {
  const std::size_t length = plan_->layout.length(*lane.step, block);
  const std::size_t begin = lane.round * plan_->chunk;
  return begin >= length ? 0 : std::min(plan_->chunk, length - begin);
}

std::size_t ScheduleRun::step_length(const Lane& lane) const {
  std::size_t total = 0;
  const plan::Blocks& blocks = lane.step->blocks;
  for (int i = 0, block = blocks.first; i < blocks.count; ++i, block = blocks.after(block)) {
    total += piece_length(lane, block);
  }
  return total;
}

bool ScheduleRun::everything_ready(Lane& lane, Team& team) {
  const plan::Step& step = *lane.step;
  if (step.from_place == plan::Place::none) {
    for (; lane.from_ready < step.from.count; ++lane.from_ready) {
      if (!team.wires().can_receive(plan_->protocol, step.from[lane.from_ready], step.from_wire)) return false;
    }
  }
  if (step.to_place == plan::Place::none) {
    for (; lane.to_ready < step.to.count; ++lane.to_ready) {
      if (!team.wires().can_send(plan_->protocol, step.to[lane.to_ready], step.to_wire)) return false;
    }
  }
  return true;
}

void ScheduleRun::transfer(const Lane& lane, Team& team) {
  const plan::Step& step = *lane.step;
  std::size_t in_slot = 0;
  for (int i = 0, block = step.blocks.first; i < step.blocks.count; ++i, block = step.blocks.after(block)) {
    const std::size_t elements = piece_length(lane, block);
    if (elements == 0) continue;
    if (plan_->element_size != 0) transfer_piece(lane, team, block, elements, in_slot);
    in_slot += elements * plan_->element_size;
  }
  if (step.to_place == plan::Place::none) {
    for (int i = 0; i < step.to.count; ++i) team.wires().post(plan_->protocol, step.to[i], step.to_wire);
  }
  if (step.from_place == plan::Place::none) {
    for (int i = 0; i < step.from.count; ++i) team.wires().take(plan_->protocol, step.from[i], step.from_wire);
  }
}

void ScheduleRun::transfer_piece(const Lane& lane, Team& team, int block, std::size_t elements, std::size_t in_slot) {
  const plan::Step& step = *lane.step;
  const std::size_t size = plan_->element_size;
  const std::size_t bytes = elements * size;
  const auto at = [&](plan::Place place, int rank) -> std::size_t {
    return (plan_->layout.offset(place, block, rank) + lane.round * plan_->chunk) * size;
  };
  const auto here = [&](plan::Place place) -> std::byte* {
    switch (place) {
      case plan::Place::input:
        return const_cast<std::byte*>(in_) + at(place, team.rank());  // NOLINT: read only
      case plan::Place::output:
        return out_ + at(place, team.rank());
      default:
        return scratch_ + at(place, team.rank());
    }
  };
  const auto from_peer = [&](int peer) -> const void* {
    if (step.from_place == plan::Place::none)
      return team.wires().incoming(plan_->protocol, peer, step.from_wire) + in_slot;
    return (step.from_place == plan::Place::input ? team.window_in(peer) : team.window_out(peer)) +
           at(step.from_place, peer);
  };

  // Destinations: the own one first. Slots and large results are written around the caches where that is
  // cheaper.
  int destinations = 0;
  std::uint32_t streaming = 0;
  if (step.store != plan::Place::none) {
    if (plan_->out_bytes >= streaming_output_from) streaming |= 1U;
    destinations_[destinations++] = here(step.store);
  }
  const bool far_slots =
      step.to_place == plan::Place::none && bytes >= streaming_from && team.slot_stores() == SlotStores::streaming;
  for (int i = 0; i < step.to.count; ++i) {
    const int peer = step.to[i];
    if (far_slots && destinations < 32) streaming |= 1U << destinations;
    destinations_[destinations++] = step.to_place == plan::Place::none
                                        ? team.wires().outgoing(plan_->protocol, peer, step.to_wire) + in_slot
                                        : team.window_out(peer) + at(step.to_place, peer);
  }
  if (destinations == 0) return;

  if (!step.combine) {
    const void* only = step.own != plan::Place::none ? here(step.own) : from_peer(step.from[0]);
    if (step.own != plan::Place::input || plan_->loop == nullptr || op_->kind != Op::premultiplied_sum) {
      copy(only, destinations_.data(), destinations, bytes, streaming);
      return;
    }
    sources_[0] = only;  // a contribution leaves this rank unreduced: it is scaled here
    plan_->loop({sources_.data(), 1, destinations_.data(), destinations, elements, 0, 0, streaming}, op_->state);
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
  plan_->loop({sources_.data(), sources, destinations_.data(), destinations, elements,
               step.own == plan::Place::input ? own_at : -1, step.finish ? team.size() : 0, streaming},
              op_->state);
}

ScheduleRun::Awaited ScheduleRun::awaited(const Team& team) const {
  for (int l = 0; l < plan_->lane_count; ++l) {
    const Lane& lane = lanes_[l];
    if (lane.round >= plan_->rounds) continue;
    const plan::Step& step = *lane.step;
    const auto where = [&](const char* what) {
      return fmt::format("{} in step {} of {} (lane {}, chunk {} of {})", what, lane.step - lane.first + 1,
                         lane.end - lane.first, l, lane.round + 1, plan_->rounds);
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
