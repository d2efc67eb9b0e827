#include "run/host/host_preparation.hpp"

#include <algorithm>

#include "run/host/schedule_run.hpp"
#include "run/shape.hpp"
#include "tutti/base/error.hpp"

namespace tutti::host {

namespace {

/// Messages shorter than this, in bytes, are never streamed: a few lines are fetched as quickly as they are written.
constexpr std::size_t streaming_from = 2048;

/// From here on results that are written through a window may be cheaper to write around the caches.
constexpr std::size_t streaming_window_from = std::size_t{4} << 20;

/// Packets up to this many bytes are asked for line by line by whoever waits for them.
constexpr std::size_t most_prefetched = 512;

/// From the root or to it: whoever sends does not receive.
bool is_one_way(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::scatter || collective == Collective::gather ||
         collective == Collective::reduce;
}

Loop loop_of(const Request& request) {
  if (!reduces(request.collective)) return nullptr;
  if (const char* reason = unsupported(request.type, request.op)) {
    throw Error(Code::unsupported, reason,
                {.operation = describe(request), .remedy = "docs/numerics.md lists the operators of each type"});
  }
  return loop_for(request.type, request.op);
}

}  // namespace

HostPreparation::HostPreparation(const Decision& decision, const Request& request, const Team& team)
    : signature(signature_of(request, 0)),
      request(request),
      decision(decision),
      schedule{.collective = request.collective,
               .algorithm = decision.algorithm,
               .window = decision.protocol == Protocol::window,
               .size = team.size(),
               .root = request.root},
      layout(schedule, team.rank(), request.count, request.element_size, request.counts, request.receive_counts),
      protocol(decision.protocol),
      element_size(request.element_size),
      in_bytes(shape_of(request, team.rank(), team.size()).in * request.element_size),
      out_bytes(shape_of(request, team.rank(), team.size()).out * request.element_size),
      loop(loop_of(request)),
      own_loop(loop != nullptr && request.op.kind == Op::user) {
  signature.way = way_of(decision.algorithm, decision.protocol);
  signature_hash = hash(signature);
  lay_out(team);
}

HostPreparation::HostPreparation(Collective collective, std::size_t bytes, const Team& team)
    : schedule{.collective = collective, .algorithm = Algorithm::one_shot, .size = team.size()},
      layout(schedule, team.rank(), bytes, 1),
      protocol(Protocol::packet),
      element_size(1),
      in_bytes(bytes),
      out_bytes(bytes * static_cast<std::size_t>(team.size())) {
  lay_out(team);
}

/// Slots are filled anew by some calls, or by one that is long enough to be measured alone.
StoreTuner HostPreparation::tuner_for(std::size_t slots) const {
  if (schedule.window || rounds >= 4 * slots) return StoreTuner(0, 1);
  if (is_one_way(schedule.collective)) return StoreTuner(static_cast<int>(std::min<std::size_t>(slots, 8)));
  return StoreTuner(1 + static_cast<int>((slots + rounds - 1) / rounds));
}

void HostPreparation::lay_out(const Team& team) {
  if (schedule.window || element_size == 0) {
    chunk = std::max<std::size_t>(1, layout.longest());
  } else {
    const std::size_t capacity = team.arena().shape().slots(protocol).capacity / element_size;
    chunk = std::max<std::size_t>(1, capacity / static_cast<std::size_t>(plan::blocks_per_step(schedule)));
    // Chunks of whole lines keep vector stores aligned; the last chunk of a block takes what is left.
    const std::size_t line = std::max<std::size_t>(1, 64 / element_size);
    if (chunk > line) chunk -= chunk % line;
  }
  rounds = schedule.window ? 1 : plan::rounds(layout, chunk);
  const bool large_slots = protocol == Protocol::fifo && !is_pairwise(schedule.collective) &&
                           std::min(chunk, layout.longest()) * element_size >= streaming_from;
  const bool large_window = schedule.window && out_bytes >= streaming_window_from && out_bytes < streaming_output_from;
  tunes_stores = large_slots || large_window;
  if (tunes_stores) tuner = tuner_for(team.arena().shape().fifo.slots);
  if (plan::needs_scratch(schedule)) scratch_bytes = layout.scratch_elements() * element_size;

  lane_count = plan::lanes(schedule);
  std::size_t begins[plan::max_lanes + 1] = {};
  for (int lane = 0; lane < lane_count; ++lane) {
    const int count = plan::steps(schedule, team.rank(), lane);
    for (int index = 0; index < count; ++index) {
      moves.push_back(concrete(plan::step(schedule, team.rank(), lane, index), team));
    }
    begins[lane + 1] = moves.size();
  }
  link_moves();
  for (int lane = 0; lane < lane_count; ++lane) {
    lanes[lane] = {moves.data() + begins[lane], moves.data() + begins[lane + 1]};
  }
  straight = is_straight();
  if (!straight) return;
  for (Move& move : moves) move.hop = ScheduleRun::hop_for(move);
}

bool HostPreparation::is_straight() const {
  if (rounds != 1 || tunes_stores || out_bytes >= streaming_output_from) return false;
  if (reduces(schedule.collective) && request.op.kind == Op::premultiplied_sum) return false;
  const bool whole =
      std::all_of(moves.begin(), moves.end(), [](const Move& move) { return move.step.barrier || move.pieces == 1; });
  const bool lanes_busy =
      std::all_of(lanes, lanes + lane_count, [](const Lane& lane) { return lane.first != lane.end; });
  return whole && lanes_busy;
}

/// The moves' pieces and ends lie in the order of the moves.
void HostPreparation::link_moves() {
  const Piece* piece = pieces.data();
  const End* end = ends.data();
  for (Move& move : moves) {
    if (move.step.barrier) continue;
    move.piece = piece;
    piece += move.pieces;
    move.from = end;
    move.to = move.from + move.step.from.count;
    end = move.to + move.step.to.count;
  }
}

Move HostPreparation::concrete(const plan::Step& step, const Team& team) {
  Move move{.step = step, .pieces = static_cast<std::uint32_t>(step.blocks.count)};
  if (step.barrier) return move;
  const auto offset = [&](plan::Place place, int block) {
    return place == plan::Place::none ? 0 : layout.offset(place, block) * element_size;
  };
  for (int i = 0, block = step.blocks.first; i < step.blocks.count; ++i, block = step.blocks.after(block)) {
    const std::size_t length = layout.length(step, block);
    pieces.push_back({length, offset(step.own, block), offset(step.store, block)});
    move.longest = std::max(move.longest, length);
  }
  if (step.from_place == plan::Place::none) move.awaited = static_cast<std::uint32_t>(step.from.count);
  if (step.to_place == plan::Place::none) move.filled = static_cast<std::uint32_t>(step.to.count);
  const std::size_t bytes = move.longest * element_size;
  if (bytes > 56 && bytes <= most_prefetched) move.more_lines = static_cast<int>((bytes + 7) / 64);
  move.long_line = protocol == Protocol::packet && (move.more_lines == 1 || move.more_lines == 2);
  const auto first = static_cast<std::ptrdiff_t>(ends.size());
  for (int i = 0; i < step.from.count; ++i) {
    ends.push_back({step.from[i], Wires::end(protocol, step.from[i], step.from_wire)});
  }
  const auto sources = ends.begin() + first;
  std::sort(sources, ends.end(), [](const End& a, const End& b) { return a.peer < b.peer; });
  if (step.own != plan::Place::none) {
    const auto before = [&](const End& end) { return end.peer < team.rank(); };
    move.own_at = static_cast<int>(std::count_if(sources, ends.end(), before));
  }
  for (int i = 0; i < step.to.count; ++i) {
    ends.push_back({step.to[i], Wires::end(protocol, step.to[i], step.to_wire)});
  }
  return move;
}

}  // namespace tutti::host
