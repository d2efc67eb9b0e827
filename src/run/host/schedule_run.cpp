#include "run/host/schedule_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "run/host/copy.hpp"

namespace tutti::host {

namespace {

/// With the shortest of messages spared the call.
void copy_short(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes < 8 || bytes > 16) {
    copy(from, to, bytes);
    return;
  }
  std::memcpy(to, from, 8);
  std::memcpy(to + bytes - 8, from + bytes - 8, 8);
}

/// The flag follows at once into the first line, which the receiver is looking at: so that comes last.
void fill_slot(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t first = -reinterpret_cast<std::uintptr_t>(to) % 64;  // 0: the flag has a line of its own
  if (bytes > first) copy(from + first, to + first, bytes - first);
  copy_short(to, from, std::min(bytes, first));
}

}  // namespace

void ScheduleRun::begin(HostPreparation& plan, const void* in, void* out, const ReduceOp& op, Team& team) {
  plan_ = &plan;
  in_ = static_cast<const std::byte*>(in);
  out_ = static_cast<std::byte*>(out);
  op_ = &op;
  loop_ = plan.loop != nullptr && op.kind == Op::user ? op.loop : plan.loop;
  opened_ = false;
  streams_ = plan.tunes_stores && plan.tuner.next() == SlotStores::streaming;
  scratch_ = plan.scratch_bytes != 0 ? team.scratch(plan.scratch_bytes) : nullptr;
  for (int l = 0; l < plan.lane_count; ++l) {
    const auto [first, end] = plan.lanes[l];
    lanes_[l] = {first, first, end, first == end ? plan.rounds : 0, 0, false};
  }
}

/// The same for a straight plan: fewer questions, which is what small calls spend their time with.
ScheduleRun::Progress ScheduleRun::advance_straight(Wires& wires) {
  for (;;) {
    bool moved = false;
    bool finished = true;
    for (int l = 0; l < plan_->lane_count; ++l) {
      Lane& lane = lanes_[l];
      while (lane.round == 0) {
        const Move& move = *lane.move;
        if (move.longest != 0) {
          if (!everything_ready(lane, wires)) {
            finished = false;
            break;
          }
          hop(move, wires);
        }
        moved = true;
        ++moves_;
        lane.ready = 0;
        if (++lane.move == lane.end) {
          lane.move = lane.first;
          lane.round = 1;
        }
      }
    }
    if (finished) return Progress::finished;
    if (!moved || plan_->lane_count == 1) return Progress::blocked;
  }
}

/// A move of one piece, whole, between slots and places of this rank.
void ScheduleRun::hop(const Move& move, Wires& wires) {
  const plan::Step& step = move.step;
  const Piece& piece = plan_->pieces[move.first_piece];
  const End* from = plan_->ends.data() + move.from;
  const End* to = plan_->ends.data() + move.to;
  if (plan_->element_size == 0) {
    // A signal: nothing but its flag.
  } else if (!step.combine) {
    const std::size_t bytes = piece.length * plan_->element_size;
    const std::byte* only = move.own_at >= 0 ? here(step.own, piece.own) : wires.incoming(from[0].wire);
    if (step.store != plan::Place::none) {
      std::byte* into = here(step.store, piece.store);
      if (into != only) copy_short(into, only, bytes);
    }
    for (std::uint32_t i = 0; i < move.filled; ++i) fill_slot(wires.outgoing(to[i].wire), only, bytes);
  } else {
    std::size_t sources = 0;
    const auto own = static_cast<std::uint32_t>(move.own_at);
    for (std::uint32_t i = 0; i < move.awaited; ++i) {
      if (i == own) sources_[sources++] = here(step.own, piece.own);
      sources_[sources++] = wires.incoming(from[i].wire);
    }
    if (own == move.awaited) sources_[sources++] = here(step.own, piece.own);
    std::size_t destinations = 0;
    if (step.store != plan::Place::none) destinations_[destinations++] = here(step.store, piece.store);
    for (std::uint32_t i = 0; i < move.filled; ++i) destinations_[destinations++] = wires.outgoing(to[i].wire);
    loop_({sources_.data(), static_cast<int>(sources), destinations_.data(), static_cast<int>(destinations),
           piece.length, -1, step.finish ? plan_->schedule.size : 0, 0},
          op_->state);
  }
  for (std::uint32_t i = 0; i < move.filled; ++i) wires.post(to[i].wire);
  for (std::uint32_t i = 0; i < move.awaited; ++i) wires.take(from[i].wire);
}

ScheduleRun::Progress ScheduleRun::advance(Team& team) {
  if (plan_->straight) return advance_straight(team.wires());
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
        lane.arrived = false;
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
  if (move.step.barrier) return pass_barrier(lane, team);
  const std::size_t begin = lane.round * plan_->chunk;
  if (begin >= move.longest) return Progress::finished;  // nothing is left of its blocks: there is no message either
  if (!everything_ready(lane, team.wires())) return Progress::blocked;

  std::size_t in_slot = 0;
  const Piece* piece = plan_->pieces.data() + move.first_piece;
  for (const Piece* end = piece + move.pieces; piece != end; ++piece) {
    if (begin >= piece->length || plan_->element_size == 0) continue;
    const std::size_t elements = std::min(plan_->chunk, piece->length - begin);
    transfer(move, *piece, begin, elements, in_slot, team);
    in_slot += elements * plan_->element_size;
  }
  const End* to = plan_->ends.data() + move.to;
  for (std::uint32_t i = 0; i < move.filled; ++i) team.wires().post(to[i].wire);
  const End* from = plan_->ends.data() + move.from;
  for (std::uint32_t i = 0; i < move.awaited; ++i) team.wires().take(from[i].wire);
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

bool ScheduleRun::everything_ready(Lane& lane, Wires& wires) const {
  const Move& move = *lane.move;
  const End* from = plan_->ends.data() + move.from;
  for (; lane.ready < move.awaited; ++lane.ready) {
    if (!wires.can_receive(from[lane.ready].wire)) return false;
  }
  const End* to = plan_->ends.data() + move.to;
  for (; lane.ready < move.awaited + move.filled; ++lane.ready) {
    if (!wires.can_send(to[lane.ready - move.awaited].wire)) return false;
  }
  return true;
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
  const End* from = plan_->ends.data() + move.from;
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
  const End* to = plan_->ends.data() + move.to;
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
  if (plan_->lane_count != 1 || move.step.barrier || move.step.from_place != plan::Place::none) return {};
  if (lane.ready >= move.awaited) return {};  // it waits for room
  Operation::Watch watch = team.wires().arrival(plan_->ends[move.from + lane.ready].wire);
  if (plan_->straight && plan_->protocol == Protocol::packet) watch.lines = move.more_lines;
  return watch;
}

int ScheduleRun::awaited_peer(const Team& team) const {
  for (int l = 0; l < plan_->lane_count; ++l) {
    const Lane& lane = lanes_[l];
    if (lane.round >= plan_->rounds) continue;
    const Move& move = *lane.move;
    if (move.step.barrier) return team.missing();
    return plan_->ends[lane.ready < move.awaited ? move.from + lane.ready : move.to + lane.ready - move.awaited].peer;
  }
  return -1;
}

ScheduleRun::Awaited ScheduleRun::awaited(const Team& team) const {
  for (int l = 0; l < plan_->lane_count; ++l) {
    const Lane& lane = lanes_[l];
    if (lane.round >= plan_->rounds) continue;
    const Move& move = *lane.move;
    const auto where = [&](const char* what) {
      return fmt::format("{} in step {} of {} (lane {}, chunk {} of {})", what, lane.move - lane.first + 1,
                         lane.end - lane.first, l, lane.round + 1, plan_->rounds);
    };
    if (move.step.barrier) return {where("its arrival at the barrier"), team.missing()};
    if (lane.ready < move.awaited) return {where("a message"), plan_->ends[move.from + lane.ready].peer};
    return {where("room for a message"), plan_->ends[move.to + lane.ready - move.awaited].peer};
  }
  return {"its turn after earlier calls", -1};
}

}  // namespace tutti::host
