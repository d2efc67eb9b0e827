/// @file  What the symbolic machine says when it is over: results that are wrong, lanes that wait for ever, histories.
#include <fmt/format.h>

#include <algorithm>

#include "plan/proof/machine.hpp"

namespace tutti::plan {

/// Why a lane does not go on, and the lane that could end it; -1: none.
std::string Machine::what_blocks(int number, int& other) {
  const Lane& lane = lanes_[static_cast<std::size_t>(number)];
  const Spot& spot = lane.spot;
  other = -1;
  if (lane.at_barrier) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (!lanes_[i].at_barrier) other = static_cast<int>(i);
    }
    return fmt::format("{}: waits at a barrier", to_string(spot));
  }
  const Step& step = step_of(lane);
  for (int i = 0; step.from_place == Place::none && i < step.from.count; ++i) {
    const Wire& in = wire(step.from[i], spot.rank, step.from_wire);
    if (!in.messages.empty()) continue;
    other = in.writer;
    return fmt::format("{}: waits for {} from rank {} on wire {}, which is empty", to_string(spot),
                       to_string(step.blocks), in.from, in.number);
  }
  for (int i = 0; step.to_place == Place::none && i < step.to.count; ++i) {
    const Wire& out = wire(spot.rank, step.to[i], step.to_wire);
    if (static_cast<int>(out.messages.size()) < conditions_.slots) continue;
    other = out.reader;
    return fmt::format("{}: waits for room on wire {} to rank {}, which is full", to_string(spot), out.number, out.to);
  }
  return to_string(spot);
}

void Machine::report_deadlock() {
  std::vector<int> visited;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < lanes_.size() && visited.empty(); ++i) {
    if (!done(lanes_[i])) visited.push_back(static_cast<int>(i));
  }
  for (;;) {
    int other = -1;
    lines.push_back(what_blocks(visited.back(), other));
    const auto seen = std::find(visited.begin(), visited.end(), other);
    if (seen != visited.end()) {
      lines.erase(lines.begin(), lines.begin() + (seen - visited.begin()));
      Failure failure("no lane can go on: each waits for the next, the last for the first");
      failure.lines = std::move(lines);
      throw failure;
    }
    if (other < 0 || done(lanes_[static_cast<std::size_t>(other)])) {
      Failure failure(lines.back() + ", and nobody is left who would end that");
      if (other < 0) {
        lines.emplace_back("no lane has a step that does");
      } else {
        const Spot& ended = lanes_[static_cast<std::size_t>(other)].spot;
        lines.push_back(fmt::format("rank {} lane {} has ended", ended.rank, ended.lane));
      }
      failure.lines = std::move(lines);
      throw failure;
    }
    visited.push_back(other);
  }
}

void Machine::check_end() const {
  for (const Wire& wire : wires_) {
    if (wire.messages.empty()) continue;
    const Value& piece = wire.messages.front()->pieces.front();
    throw Failure(fmt::format("rank {} never takes block {} that rank {} sent on wire {}", wire.to, piece.block,
                              wire.from, wire.number),
                  piece.event);
  }
  for (int rank = 0; reaches_ && rank < program_.schedule.size; ++rank) {
    Clock known(clock_size_, 0);
    for (const Lane& lane : lanes_) {
      if (lane.spot.rank == rank) learn(known, lane.clock);
    }
    memory_.leave(rank, known);
  }
  for (int rank = 0; rank < program_.schedule.size; ++rank) {
    for (int block = 0; block < program_.blocks; ++block) {
      if (!meaning_.holds(rank, Place::output, block)) continue;
      for (int chunk = 0; chunk < chunks_of(rank, Place::output, block); ++chunk) {
        check_output(rank, block, memory_.output(rank, block, chunk));
      }
    }
  }
}

void Machine::check_output(int rank, int block, const Value& value) const {
  // A barrier of one rank has nothing to do.
  if (meaning_.is_barrier() && program_.schedule.size == 1) return;
  // In a window, passing the barrier step is what tells that all have come.
  if (meaning_.is_barrier() && program_.schedule.window) return check_barriers(rank);
  const std::string where = fmt::format("rank {} output block {}", rank, block);
  const Ranks expected = meaning_.parts(rank, block);
  if (!value.there || !value.prepared) throw Failure(where + " was never written", value.event);
  if (value.ranks != expected || value.twice != 0) {
    throw Failure(fmt::format("{} holds {}, expected {}: {}", where, members(value.ranks, value.twice),
                              members(expected), difference(value.ranks, value.twice, expected)),
                  value.event);
  }
  if (value.block != block) {
    throw Failure(fmt::format("{} holds block {} of rank {}", where, value.block, members(value.ranks)), value.event);
  }
  const int finishes = meaning_.reduces() ? 1 : 0;
  if (value.finishes != finishes) {
    throw Failure(fmt::format("{} was finished {} times, expected {}", where, value.finishes, finishes), value.event);
  }
  if (meaning_.reduces() && in_rank_order(program_.schedule) && !value.rank_order) {
    throw Failure(where + " was not combined in rank order, as its schedule promises", value.event);
  }
}

void Machine::check_barriers(int rank) const {
  if (lanes_[static_cast<std::size_t>(rank)].barriers == 0) {
    throw Failure(fmt::format("rank {} passes no barrier", rank));
  }
}

std::vector<std::string> Machine::history(int event) const {
  std::vector<int> involved;
  if (event >= 0) involved.push_back(event);
  for (std::size_t i = 0; i < involved.size(); ++i) {
    for (const int source : events_[static_cast<std::size_t>(involved[i])].sources) {
      if (source >= 0 && std::find(involved.begin(), involved.end(), source) == involved.end()) {
        involved.push_back(source);
      }
    }
  }
  std::sort(involved.begin(), involved.end());
  std::vector<std::string> lines;
  for (const int number : involved) {
    const Event& happened = events_[static_cast<std::size_t>(number)];
    const Spot& spot = happened.spot;
    const Step& step = program_.steps[static_cast<std::size_t>(spot.rank)][static_cast<std::size_t>(spot.lane)]
                                     [static_cast<std::size_t>(spot.index)];
    lines.push_back(to_string(spot) + ": " + to_string(step));
  }
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace tutti::plan
