#include "plan/proof/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::plan {

namespace {

/// Does any step touch a peer's memory?
bool reaches_peers(const Program& program) {
  const auto reaches = [](const Step& step) {
    return step.barrier || step.from_place != Place::none || step.to_place != Place::none;
  };
  for (const auto& of_rank : program.steps) {
    for (const auto& lane : of_rank) {
      if (std::any_of(lane.begin(), lane.end(), reaches)) return true;
    }
  }
  return false;
}

bool has_parallel_lanes(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(), [](const auto& lanes) { return lanes.size() > 1; });
}

}  // namespace

Machine::Machine(const Program& program, const Conditions& conditions, bool keep_history)
    : program_(program),
      meaning_(program.schedule),
      conditions_(conditions),
      reaches_(reaches_peers(program)),
      watch_order_(reaches_ || has_parallel_lanes(program)),
      keep_history_(keep_history),
      memory_(program, meaning_, conditions, watch_order_),
      messages_sent_(program.steps.size(), 0),
      blocks_sent_(program.steps.size(), 0) {
  for (std::size_t rank = 0; rank < program.steps.size(); ++rank) {
    for (std::size_t lane = 0; lane < program.steps[rank].size(); ++lane) {
      Lane& added = lanes_.emplace_back();
      added.spot = {.rank = static_cast<int>(rank), .lane = static_cast<int>(lane)};
      added.steps = &program.steps[rank][lane];
    }
  }
  if (!watch_order_) return;
  // Where peers reach in, the callers count as lanes: with one tick, as they enter.
  clock_size_ = lanes_.size() + (reaches_ ? program.steps.size() : 0);
  for (Lane& lane : lanes_) {
    lane.clock.assign(clock_size_, 0);
    if (reaches_) lane.clock[lanes_.size() + static_cast<std::size_t>(lane.spot.rank)] = 1;
  }
  for (std::size_t rank = 0; reaches_ && rank < program.steps.size(); ++rank) {
    memory_.enter(static_cast<int>(rank), static_cast<int>(lanes_.size() + rank));
  }
}

Cost Machine::run() {
  claim_wires();
  for (std::size_t number = lanes_.size(); number > 0; --number) wake(static_cast<int>(number) - 1);
  while (!ready_lanes_.empty()) {
    const int number = ready_lanes_.back();
    ready_lanes_.pop_back();
    while (advance(number)) {
    }
  }
  if (!std::all_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) { return done(lane); })) report_deadlock();
  check_end();
  Cost cost;
  for (const Lane& lane : lanes_) {
    cost.hops = std::max(cost.hops, lane.depth);
    cost.barriers = std::max(cost.barriers, lane.barriers);
  }
  for (std::size_t rank = 0; rank < program_.steps.size(); ++rank) {
    cost.most_messages = std::max(cost.most_messages, messages_sent_[rank]);
    cost.most_blocks = std::max(cost.most_blocks, blocks_sent_[rank]);
    cost.all_blocks += blocks_sent_[rank];
  }
  return cost;
}

/// One step of a lane. False when it has ended, or waits: then whoever can end the wait wakes it.
bool Machine::advance(int number) {
  Lane& lane = lanes_[static_cast<std::size_t>(number)];
  if (done(lane) || lane.at_barrier) return false;
  const Step& step = step_of(lane);
  if (step.barrier) {
    pass_barrier(number);
    return false;
  }
  find_pieces(lane, step);
  if (pieces_.empty()) {
    next(lane);
    return true;
  }
  if (!ready(number, step)) return false;
  try {
    take(lane, step);
    transfer(number, step);
  } catch (Failure& failure) {
    failure.lines.push_back(to_string(lane.spot) + ": " + to_string(step));
    throw;
  }
  count(lane, step);
  next(lane);
  return true;
}

void Machine::next(Lane& lane) {
  if (++lane.spot.index == static_cast<int>(lane.steps->size())) {
    lane.spot.index = 0;
    ++lane.spot.chunk;
  }
}

int Machine::chunks_of(int rank, Place place, int block) const {
  if (!conditions_.ragged || meaning_.is_barrier()) return conditions_.chunks;
  int key = block;
  if (program_.schedule.collective == Collective::all_to_all_v) {
    key += 2 * (place == Place::output ? around(rank - block, program_.schedule.size) : rank);
  }
  return conditions_.chunks - key % (conditions_.chunks + 1);
}

void Machine::find_pieces(const Lane& lane, const Step& step) {
  pieces_.clear();
  const Place place = step.own != Place::none ? step.own : step.store;
  int block = step.blocks.first;
  for (int i = 0; i < step.blocks.count; ++i, block = step.blocks.after(block)) {
    if (lane.spot.chunk < chunks_of(lane.spot.rank, place, block)) pieces_.push_back(block);
  }
}

bool Machine::ready(int number, const Step& step) {
  const int rank = lanes_[static_cast<std::size_t>(number)].spot.rank;
  for (int i = 0; step.from_place == Place::none && i < step.from.count; ++i) {
    Wire& in = wire(step.from[i], rank, step.from_wire);
    in.waited_for = in.messages.empty();
    if (in.waited_for) return false;
  }
  for (int i = 0; step.to_place == Place::none && i < step.to.count; ++i) {
    Wire& out = wire(rank, step.to[i], step.to_wire);
    out.waited_on = static_cast<int>(out.messages.size()) >= conditions_.slots;
    if (out.waited_on) return false;
  }
  return true;
}

void Machine::pass_barrier(int number) {
  Lane& arriving = lanes_[static_cast<std::size_t>(number)];
  arriving.at_barrier = true;
  at_barrier_.push_back(number);
  if (at_barrier_.size() < program_.steps.size()) return;
  Clock known(clock_size_, 0);
  int depth = 0;
  for (const Lane& lane : lanes_) {
    learn(known, lane.clock);
    depth = std::max(depth, lane.depth);
  }
  for (const int released : at_barrier_) {
    Lane& lane = lanes_[static_cast<std::size_t>(released)];
    lane.at_barrier = false;
    lane.clock = known;
    lane.depth = depth;
    if (lane.spot.chunk == 0) ++lane.barriers;
    next(lane);
    wake(released);
  }
  at_barrier_.clear();
}

/// Takes the messages of a step, learns what they tell, and makes room.
void Machine::take(Lane& lane, const Step& step) {
  taken_.clear();
  for (int i = 0; step.from_place == Place::none && i < step.from.count; ++i) {
    Wire& in = wire(step.from[i], lane.spot.rank, step.from_wire);
    taken_.push_back(std::move(in.messages.front()));
    in.messages.erase(in.messages.begin());
    if (in.waited_on) wake(in.writer);
    in.waited_on = false;
    const Message& message = *taken_.back();
    lane.depth = std::max(lane.depth, message.depth);
    learn(lane.clock, message.clock);
    bool fits = message.chunk == lane.spot.chunk && message.pieces.size() == pieces_.size();
    for (std::size_t p = 0; fits && p < pieces_.size(); ++p) fits = message.pieces[p].block == pieces_[p];
    if (fits) continue;
    std::string got;
    for (const Value& piece : message.pieces) got += fmt::format(" {}", piece.block);
    throw Failure(
        fmt::format("{} takes {} from rank {}, but the next message brings block{}{} of chunk {}", to_string(lane.spot),
                    to_string(step.blocks), step.from[i], message.pieces.size() == 1 ? "" : "s", got, message.chunk),
        message.pieces.front().event);
  }
}

void Machine::transfer(int number, const Step& step) {
  Lane& lane = lanes_[static_cast<std::size_t>(number)];
  const int rank = lane.spot.rank;
  if (watch_order_) ++lane.clock[static_cast<std::size_t>(number)];
  const SymbolicMemory::Actor actor{lane.spot, number, &lane.clock};
  const bool sends = step.to_place == Place::none && step.to.count > 0;
  Message message{lane.spot.chunk, lane.depth + 1, {}, {}};
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Value value = result(actor, step, static_cast<int>(p));
    const int block = pieces_[p];
    const bool onto_itself = step.own != Place::none && step.from.count == 0 && !meaning_.reduces() &&
                             step.store != Place::none && memory_.same(rank, step.own, step.store, block);
    if (onto_itself) {
      memory_.keep(actor, rank, step.store, block);
    } else if (step.store != Place::none) {
      memory_.write(actor, rank, step.store, block, value);
    }
    for (int i = 0; step.to_place != Place::none && i < step.to.count; ++i) {
      memory_.write(actor, step.to[i], step.to_place, block, value);
    }
    if (sends) message.pieces.push_back(value);
  }
  if (!sends) return;
  message.clock = lane.clock;
  const auto sent = std::make_shared<const Message>(std::move(message));
  for (int i = 0; i < step.to.count; ++i) {
    Wire& out = wire(rank, step.to[i], step.to_wire);
    out.messages.push_back(sent);
    if (out.waited_for) wake(out.reader);
    out.waited_for = false;
  }
}

/// What the step makes of its sources, for one of its pieces.
Value Machine::result(const SymbolicMemory::Actor& actor, const Step& step, int piece) {
  const auto p = static_cast<std::size_t>(piece);
  sources_.clear();
  const auto add = [&](int rank, const Value& value) {
    auto place = sources_.end();
    while (place != sources_.begin() && (place - 1)->first > rank) --place;
    sources_.insert(place, {rank, value});
  };
  for (int i = 0; i < step.from.count; ++i) {
    const int peer = step.from[i];
    add(peer, step.from_place == Place::none ? taken_[static_cast<std::size_t>(i)]->pieces[p]
                                             : memory_.read(actor, peer, step.from_place, pieces_[p]));
  }
  if (step.own != Place::none) {
    add(actor.spot.rank, memory_.read(actor, actor.spot.rank, step.own, pieces_[p]));
  }
  Value value = sources_.front().second;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Value& source = sources_[i].second;
    if (step.combine && source.finishes > 0) {
      throw Failure(to_string(actor.spot) + " combines a result that is finished already", source.event);
    }
    if (i == 0) continue;
    const bool single = (source.ranks & (source.ranks - 1)) == 0;
    value.rank_order = value.rank_order && single && source.ranks > value.ranks;
    if (!meaning_.is_barrier()) value.twice |= (value.ranks & source.ranks) | source.twice;
    value.ranks |= source.ranks;
  }
  if (step.finish) ++value.finishes;
  if (keep_history_) {
    Event event{actor.spot, pieces_[p], {}};
    for (const auto& source : sources_) event.sources.push_back(source.second.event);
    value.event = static_cast<int>(events_.size());
    events_.push_back(std::move(event));
  }
  return value;
}

void Machine::count(const Lane& lane, const Step& step) {
  if (lane.spot.chunk != 0) return;
  const auto rank = static_cast<std::size_t>(lane.spot.rank);
  const int pieces = static_cast<int>(pieces_.size());
  if (step.to_place == Place::none) messages_sent_[rank] += step.to.count;
  if (step.from_place != Place::none) blocks_sent_[rank] += step.from.count * pieces;
  blocks_sent_[rank] += step.to.count * pieces;
}

}  // namespace tutti::plan
