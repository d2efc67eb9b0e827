#include "run/host/schedule_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "run/host/copy.hpp"

namespace tutti::host {

ScheduleRun::Progress ScheduleRun::advance_rounds(Team& team) {
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
        ++moves_;
        lane.ready = 0;
        if (++lane.move == lane.end) {
          lane.move = lane.first;
          ++lane.round;
        }
      }
    }
    if (finished) {
      if (plan_->tunes_stores) plan_->tuner.done();
      return Progress::finished;
    }
    // What one lane has done may be what another waits for only by way of other ranks; so look at most once more.
    if (!moved || lane_count == 1) return Progress::blocked;
  }
}

ScheduleRun::Progress ScheduleRun::attempt(Lane& lane, Team& team) {
  const Move& move = *lane.move;
  if (move.step.barrier) return pass_barrier(lane.ready, team);
  const std::size_t begin = lane.round * plan_->chunk;
  if (begin >= move.longest) return Progress::finished;  // nothing is left of its blocks: there is no message either
  if (!everything_ready(move, lane.ready, team.wires())) return Progress::blocked;

  std::size_t in_slot = 0;
  for (const Piece *piece = move.piece, *end = piece + move.pieces; piece != end; ++piece) {
    if (begin >= piece->length || plan_->element_size == 0) continue;
    const std::size_t elements = std::min(plan_->chunk, piece->length - begin);
    transfer(move, *piece, begin, elements, in_slot, team);
    in_slot += elements * plan_->element_size;
  }
  for (std::uint32_t i = 0; i < move.filled; ++i) team.wires().post(move.to[i].wire);
  for (std::uint32_t i = 0; i < move.awaited; ++i) team.wires().take(move.from[i].wire);
  return Progress::finished;
}

ScheduleRun::Progress ScheduleRun::pass_barrier(std::uint32_t& arrived, Team& team) {
  if (arrived == 0) {
    arrived = 1;
    if (opened_) {
      team.arrive(nullptr);
    } else {
      const Team::Window window{here(plan::Place::input, 0), here(plan::Place::output, 0), plan_->in_bytes,
                                plan_->out_bytes};
      team.arrive(&window);
    }
  }
  if (!team.all_arrived()) return Progress::blocked;
  if (!opened_ && !team.windows_open(plan::works_in_place(plan_->schedule))) return Progress::closed;
  opened_ = true;
  return Progress::finished;
}

std::byte* ScheduleRun::there(plan::Place place, int peer, int block, std::size_t begin, const Team& team) const {
  std::byte* base = place == plan::Place::input ? team.window_in(peer) : team.window_out(peer);
  return base + plan_->layout.offset(place, block, peer) * plan_->element_size + begin;
}

/// `begin`: where the chunk begins in the block, in elements. `in_slot`: where the piece begins in messages, in bytes.
void ScheduleRun::transfer(const Move& move, const Piece& piece, std::size_t begin, std::size_t elements,
                           std::size_t in_slot, Team& team) {
  const plan::Step& step = move.step;
  const std::size_t skip = begin * plan_->element_size;
  const std::size_t bytes = elements * plan_->element_size;
  const End* from = move.from;
  const auto source = [&](int i) -> const void* {
    if (step.from_place == plan::Place::none) return team.wires().incoming(from[i].wire) + in_slot;
    return there(step.from_place, from[i].peer, step.blocks.first, skip, team);
  };

  // Destinations: the own one first. Slots and large results are written around the caches where that is cheaper.
  int destinations = 0;
  std::uint32_t streaming = 0;
  const bool around = plan_->out_bytes >= streaming_output_from || (streams_ && plan_->schedule.window);
  if (step.store != plan::Place::none) {
    if (around) streaming |= 1U;
    destinations_[static_cast<std::size_t>(destinations++)] = here(step.store, piece.store + skip);
  }
  const End* to = move.to;
  if (step.to_place == plan::Place::none) {
    for (int i = 0; i < step.to.count; ++i) {
      if (streams_ && destinations < 32) streaming |= 1U << destinations;
      destinations_[static_cast<std::size_t>(destinations++)] = team.wires().outgoing(to[i].wire) + in_slot;
    }
  } else {
    for (int i = 0; i < step.to.count; ++i) {
      if (around && destinations < 32) streaming |= 1U << destinations;
      destinations_[static_cast<std::size_t>(destinations++)] =
          there(step.to_place, to[i].peer, step.blocks.first, skip, team);
    }
  }

  if (!step.combine) {
    const void* only = move.own_at >= 0 ? here(step.own, piece.own + skip) : source(0);
    if (step.own == plan::Place::input && loop_ != nullptr && op_->kind == Op::premultiplied_sum) {
      sources_[0] = only;  // a contribution leaves this rank unreduced: it is scaled here
      loop_({sources_.data(), 1, destinations_.data(), destinations, elements, 0, 0, streaming}, op_->state);
    } else if (destinations == 1 && streaming == 0) {
      if (destinations_[0] != only) copy(only, destinations_[0], bytes);
    } else {
      copy(only, destinations_.data(), destinations, bytes, streaming);
    }
    return;
  }

  int sources = 0;
  for (int i = 0; i < step.from.count; ++i) {
    if (i == move.own_at) sources_[static_cast<std::size_t>(sources++)] = here(step.own, piece.own + skip);
    sources_[static_cast<std::size_t>(sources++)] = source(i);
  }
  if (move.own_at == step.from.count) sources_[static_cast<std::size_t>(sources++)] = here(step.own, piece.own + skip);
  loop_({sources_.data(), sources, destinations_.data(), destinations, elements,
         step.own == plan::Place::input ? move.own_at : -1, step.finish ? team.size() : 0, streaming},
        op_->state);
}

Operation::Watch ScheduleRun::watch(Team& team) const {
  const Lane& lane = lanes_[0];
  const Move& move = *lane.move;
  if (plan_->lane_count != 1) return {};
  if (move.step.barrier) return team.next_arrival();
  if (move.step.from_place != plan::Place::none) return {};
  if (lane.ready >= move.awaited) return {};  // it waits for room
  Operation::Watch watch = team.wires().arrival(move.from[lane.ready].wire);
  if (plan_->straight && plan_->protocol == Protocol::packet) watch.lines = move.more_lines;
  return watch;
}

const ScheduleRun::Lane* ScheduleRun::behind() const {
  const Lane* behind = nullptr;
  for (const Lane *lane = lanes_, *end = lanes_ + plan_->lane_count; lane != end; ++lane) {
    if (lane->round < plan_->rounds && (behind == nullptr || lane->round < behind->round)) behind = lane;
  }
  return behind;
}

Waiting ScheduleRun::waiting(const Team& team) const {
  const Lane* const lane = behind();
  if (lane == nullptr) return {};
  Waiting waiting{.step = static_cast<std::uint32_t>(lane->move - lane->first + 1),
                  .steps = static_cast<std::uint32_t>(lane->end - lane->first),
                  .lane = static_cast<std::uint32_t>(lane - lanes_),
                  .chunk = static_cast<std::uint32_t>(lane->round + 1),
                  .chunks = static_cast<std::uint32_t>(plan_->rounds)};
  const Move& move = *lane->move;
  if (move.step.barrier) {
    waiting.awaited = team.missing();
    waiting.flags = flight::at_barrier;
  } else if (lane->ready < move.awaited) {
    waiting.awaited = move.from[lane->ready].peer;
  } else {
    waiting.awaited = move.to[lane->ready - move.awaited].peer;
    waiting.flags = flight::for_room;
  }
  return waiting;
}

int ScheduleRun::awaited_peer(const Team& team) const { return waiting(team).awaited; }

ScheduleRun::Awaited ScheduleRun::awaited(const Team& team) const {
  const Waiting waits = waiting(team);
  if (waits.steps == 0) return {"its turn after earlier calls", -1};
  const char* const what = waits.flags == flight::at_barrier ? "its arrival at the barrier"
                           : waits.flags == flight::for_room ? "room for a message"
                                                             : "a message";
  return {fmt::format("{} in step {} of {} (lane {}, chunk {} of {})", what, waits.step, waits.steps, waits.lane,
                      waits.chunk, waits.chunks),
          waits.awaited};
}

}  // namespace tutti::host
