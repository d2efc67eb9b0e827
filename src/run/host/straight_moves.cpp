/// @file  The moves of straight plans: what small calls spend their time with, so each frequent form is compiled by itself.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "run/host/copy.hpp"
#include "run/host/schedule_run.hpp"

namespace tutti::host {

namespace {

/// Two stretches of `Size` bytes, the last one ending where the whole does; they overlap unless it is twice as long.
template <std::size_t Size>
void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, Size);
  std::memcpy(to + bytes - Size, from + bytes - Size, Size);
}

void copy_few(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 64) {
    copy(from, to, bytes);
  } else if (bytes > 32) {
    copy_ends<32>(to, from, bytes);
  } else if (bytes > 16) {
    copy_ends<16>(to, from, bytes);
  } else if (bytes >= 8) {
    copy_ends<8>(to, from, bytes);
  } else if (bytes >= 4) {
    copy_ends<4>(to, from, bytes);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

/// With messages of a cache line or less spared the call of a library.
inline void copy_short(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes >= 8 && bytes <= 16) return copy_ends<8>(to, from, bytes);
  copy_few(to, from, bytes);
}

/// The flag follows at once into the first line, which the receiver is looking at: so that comes last.
inline void fill_slot(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t first = -reinterpret_cast<std::uintptr_t>(to) % 64;  // 0: the flag has a line of its own
  if (bytes > first) {
    copy_few(to + first, from + first, bytes - first);
    bytes = first;
  }
  copy_short(to, from, bytes);
}

constexpr int any = -1;

Progress nothing(ScheduleRun&, const Move&, std::uint32_t&, Team&) { return Progress::finished; }

}  // namespace

/// A move of one piece, whole, between slots and places of this rank. `Takes` and `Sends` fix its numbers of messages.
template <bool Combines, int Takes, int Sends>
Progress ScheduleRun::hop(ScheduleRun& run, const Move& move, std::uint32_t& ready, Team& team) {
  Wires& wires = team.wires();
  const std::uint32_t takes = Takes == any ? move.awaited : Takes;
  const std::uint32_t sends = Sends == any ? move.filled : Sends;
  // An only end is looked up once.
  Wires::Receiving* const only_from = Takes == 1 ? &wires.receiving(move.from->wire) : nullptr;
  Wires::Sending* const only_to = Sends == 1 ? &wires.sending(move.to->wire) : nullptr;
  const auto from = [&](std::uint32_t i) -> Wires::Receiving& {
    return Takes == 1 ? *only_from : wires.receiving(move.from[i].wire);
  };
  const auto to = [&](std::uint32_t i) -> Wires::Sending& {
    return Sends == 1 ? *only_to : wires.sending(move.to[i].wire);
  };
  if constexpr (Takes == 1 && Sends == 0) {
    if (!only_from->can_receive()) return Progress::blocked;
  } else if constexpr (Takes == 0 && Sends == 1) {
    if (!only_to->can_send()) return Progress::blocked;
  } else {
    if (!everything_ready(move, ready, wires)) return Progress::blocked;
    ready = 0;
  }

  const plan::Step& step = move.step;
  const std::size_t bytes = move.longest * run.plan_->element_size;
  if (bytes == 0) {
    // A signal: nothing but its flag.
  } else if constexpr (!Combines) {
    const std::byte* only = Takes == 0 || move.own_at >= 0 ? run.here(step.own, move.piece->own)  //
                                                           : from(0).payload();
    if (step.store != plan::Place::none) {
      std::byte* into = run.here(step.store, move.piece->store);
      if (into != only) copy_short(into, only, bytes);
    }
    for (std::uint32_t i = 0; i < sends; ++i) fill_slot(to(i).payload(), only, bytes);
  } else {
    const auto own = static_cast<std::uint32_t>(move.own_at);
    const void** const sources = run.sources_.data();
    std::uint32_t source_count = 0;
    for (std::uint32_t i = 0; i < takes; ++i) {
      if (i == own) sources[source_count++] = run.here(step.own, move.piece->own);
      sources[source_count++] = from(i).payload();
    }
    if (own == takes) sources[source_count++] = run.here(step.own, move.piece->own);
    void** const destinations = run.destinations_.data();
    std::uint32_t destination_count = 0;
    if (step.store != plan::Place::none) destinations[destination_count++] = run.here(step.store, move.piece->store);
    for (std::uint32_t i = 0; i < sends; ++i) destinations[destination_count++] = to(i).payload();
    run.loop_({sources, static_cast<int>(source_count), destinations, static_cast<int>(destination_count), move.longest,
               -1, step.finish ? run.plan_->schedule.size : 0, 0},
              run.op_->state);
  }
  for (std::uint32_t i = 0; i < sends; ++i) to(i).post(move.long_line);
  for (std::uint32_t i = 0; i < takes; ++i) from(i).take();
  return Progress::finished;
}

Progress ScheduleRun::hop_through_window(ScheduleRun& run, const Move& move, std::uint32_t&, Team& team) {
  if (run.plan_->element_size != 0) run.transfer(move, *move.piece, 0, move.longest, 0, team);
  return Progress::finished;
}

Progress ScheduleRun::hop_over_barrier(ScheduleRun& run, const Move&, std::uint32_t& ready, Team& team) {
  const Progress progress = run.pass_barrier(ready, team);
  if (progress == Progress::finished) ready = 0;
  return progress;
}

Hop ScheduleRun::hop_for(const Move& move) {
  if (move.step.barrier) return &hop_over_barrier;
  if (move.longest == 0) return &nothing;  // of its block: there is no message either
  const bool in_slots = move.step.from_place == plan::Place::none && move.step.to_place == plan::Place::none;
  if (!in_slots) return &hop_through_window;
  if (move.awaited == 0 && move.filled == 1 && !move.step.combine) return &hop<false, 0, 1>;
  if (move.awaited == 1 && move.filled == 0) return move.step.combine ? &hop<true, 1, 0> : &hop<false, 1, 0>;
  return move.step.combine ? &hop<true, any, any> : &hop<false, any, any>;
}

}  // namespace tutti::host
