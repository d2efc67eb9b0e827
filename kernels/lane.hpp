/// @file  play_lane: plays the steps of plan/ for one lane of one rank on one channel: a block of a grid, or host threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/conductor.hpp"
#include "kernels/packets.hpp"
#include "kernels/transfer.hpp"

namespace tutti::kernels {

/// One step. `next`: the step that follows, asked for while this one's data moves. False: given up, for all threads alike.
///
/// A step costs two meetings of the crew: one when everything is there, which is also the vote whether anybody gave up,
/// and one when everything is done.
template <class T, class F, bool Packets, class Crew>
TUTTI_HOST_DEVICE bool play_step(Crew& crew, LaneMemory& memory, std::size_t round, int index, int next,
                                 std::uint32_t turn) {
  using Conduct = Conductor<Packets, Crew>;
  constexpr std::size_t unit = Combine<T, F, typename Crew::Machine>::copies ? 1 : sizeof(T);
  const plan::Step& step = memory.steps[turn];
  if (step.barrier) {
    const bool met = Conduct::meet(crew, memory, index);
    Conduct::ask(crew, memory, next, turn ^ 1U);
    return crew.sync_and(met);
  }
  const std::size_t begin = round * memory.call.chunk;
  if (begin >= Conduct::longest(memory, step)) {  // nothing is left of its blocks: there is no message either
    crew.sync();
    Conduct::ask(crew, memory, next, turn ^ 1U);
    crew.sync();
    return true;
  }
  if (!crew.sync_and(Conduct::prepare(crew, memory, step, index, begin, unit))) return false;
  Conduct::ask(crew, memory, next, turn ^ 1U);
  bool done = true;
#pragma unroll 1
  for (int i = 0, block = step.blocks.first;;) {
    if constexpr (Packets) {
      done = done && PacketTransfer<T, F, Crew>::run(crew, memory, index);
    } else {
      Transfer<T, F, Crew>::run(crew, memory);
    }
    if (++i == step.blocks.count) break;
    block = step.blocks.after(block);
    crew.sync();
    if (crew.rank() == 0) {
      const std::size_t bytes =
          Packets ? PacketUnit<T>::message_bytes(memory.count) : (memory.count * unit + 15) / 16 * 16;
      Conduct::go_on(memory, step, block, begin, unit, bytes);
    }
    crew.sync();
  }
  if constexpr (Packets) {
    PacketTransfer<T, F, Crew>::clear_old_lines(crew, memory, PacketUnit<T>::message_bytes(memory.count));
    if (!crew.sync_and(done)) return false;
  } else {
    crew.sync();
  }
  Conduct::post(crew, memory, step);
  return true;
}

/// Lanes hold one another up only through messages, and so do channels: each takes every channels-th round of chunks.
/// False: given up, and nothing runs on this wire memory any more.
template <class T, class F, bool Packets, class Crew>
TUTTI_HOST_DEVICE bool play_lane(Crew& crew, LaneMemory& memory, const Arguments& call, int channel, int lane) {
  using Conduct = Conductor<Packets, Crew>;
  if (crew.rank() == 0) {
    memory.call = call;
    memory.channel = channel;
    memory.lane = lane;
  }
  crew.sync();
  const bool window = call.schedule.window;
  auto round = static_cast<std::size_t>(channel);
  if (!window && round >= call.rounds) return true;
  const int steps = Conduct::open(crew, memory);
  bool good = steps >= 0;
  std::uint32_t turn = 0;
  while (good && steps > 0) {
#pragma unroll 1
    for (int index = 0; good && index < steps; ++index) {
      good = play_step<T, F, Packets>(crew, memory, round, index, index + 1 < steps ? index + 1 : 0, turn);
      turn ^= 1U;
    }
    round += static_cast<std::size_t>(call.channels);
    if (window || round >= call.rounds) break;
  }
  if (!good) Conduct::give_up(crew, memory);
  return good;
}

}  // namespace tutti::kernels
