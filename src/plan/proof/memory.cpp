#include "plan/proof/memory.hpp"

#include <fmt/format.h>

#include "plan/proof/failure.hpp"

namespace tutti::plan {

SymbolicMemory::SymbolicMemory(const Program& program, const Meaning& meaning, const Conditions& conditions,
                               bool watch_order)
    : meaning_(meaning),
      size_(program.schedule.size),
      blocks_(program.blocks),
      chunks_(conditions.chunks),
      in_place_(conditions.in_place),
      watch_order_(watch_order),
      cells_(static_cast<std::size_t>(size_) * 3 * static_cast<std::size_t>(blocks_) *
             static_cast<std::size_t>(chunks_)) {
  for (int rank = 0; rank < size_; ++rank) {
    for (int block = 0; block < blocks_; ++block) {
      if (!meaning_.holds(rank, Place::input, block)) continue;
      for (int chunk = 0; chunk < chunks_; ++chunk) {
        cells_[cell_index(rank, Place::input, block, chunk)].value = {
            .ranks = only(rank), .block = block, .there = true, .prepared = false};
      }
    }
  }
}

std::size_t SymbolicMemory::cell_index(int rank, Place place, int block, int chunk) const {
  if (in_place_ && place == Place::input && meaning_.holds(rank, Place::output, meaning_.twin(block))) {
    place = Place::output;
    block = meaning_.twin(block);
  }
  const std::size_t column = place == Place::input ? 0 : place == Place::output ? 1 : 2;
  const auto wide = [](int value) { return static_cast<std::size_t>(value); };
  return ((wide(rank) * 3 + column) * wide(blocks_) + wide(block)) * wide(chunks_) + wide(chunk);
}

bool SymbolicMemory::same(int rank, Place from, Place to, int block) const {
  return cell_index(rank, from, block, 0) == cell_index(rank, to, block, 0);
}

const Value& SymbolicMemory::output(int rank, int block, int chunk) const {
  return cells_[cell_index(rank, Place::output, block, chunk)].value;
}

void SymbolicMemory::check_order(const Clock& clock, const Spot& now, const char* does, const Access& earlier,
                                 const char* did, const Where& where) const {
  if (!watch_order_ || earlier.lane < 0) return;
  if (clock[static_cast<std::size_t>(earlier.lane)] >= earlier.tick) return;
  const auto who = [](const Spot& spot) {
    return spot.index == caller_index ? fmt::format("the caller of rank {}", spot.rank) : to_string(spot);
  };
  throw Failure(fmt::format("{} {} {} block {} of rank {}, which {} {}, and nothing says which comes first", who(now),
                            does, to_string(where.place), where.block, where.rank, who(earlier.spot), did));
}

void SymbolicMemory::enter(int rank, int caller) {
  const Access entering{caller, 1, {.rank = rank, .index = caller_index}};
  for (const Place place : {Place::input, Place::output}) {
    for (int block = 0; block < blocks_; ++block) {
      for (int chunk = 0; chunk < chunks_; ++chunk) cells_[cell_index(rank, place, block, chunk)].written = entering;
    }
  }
}

void SymbolicMemory::leave(int rank, const Clock& clock) const {
  const Spot caller{.rank = rank, .index = caller_index};
  for (const Place place : {Place::input, Place::output}) {
    for (int block = 0; block < blocks_; ++block) {
      for (int chunk = 0; chunk < chunks_; ++chunk) {
        const Cell& cell = cells_[cell_index(rank, place, block, chunk)];
        check_order(clock, caller, "gets back", cell.written, "writes", {rank, place, block});
        for (const Access& reading : cell.readings) {
          check_order(clock, caller, "gets back", reading, "reads", {rank, place, block});
        }
      }
    }
  }
}

Value SymbolicMemory::read(const Actor& actor, int rank, Place place, int block) {
  const auto here = [&] {
    return fmt::format("{} reads {} block {} of rank {}", to_string(actor.spot), to_string(place), block, rank);
  };
  if (!meaning_.holds(rank, place, block)) throw Failure(here() + ", which has no such block");
  Cell& cell = cells_[cell_index(rank, place, block, actor.spot.chunk)];
  if (watch_order_) {
    check_order(*actor.clock, actor.spot, "reads", cell.written, "writes", {rank, place, block});
  }
  Value value = cell.value;
  const bool as_given = value.there && value.ranks == only(rank) && value.block == block && value.finishes == 0;
  if (place == Place::input && (!as_given || (value.prepared && meaning_.reduces()))) {
    throw Failure(here() + ", which has been overwritten: it is in place", value.event);
  }
  if (place != Place::input && (!value.there || !value.prepared)) {
    throw Failure(here() + ", which has not been written yet");
  }
  if (watch_order_) {
    const Access access{actor.lane, (*actor.clock)[static_cast<std::size_t>(actor.lane)], actor.spot};
    bool known = false;
    for (Access& reading : cell.readings) {
      if (reading.lane != actor.lane) continue;
      reading = access;
      known = true;
    }
    if (!known) cell.readings.push_back(access);
  }
  value.prepared = true;
  return value;
}

void SymbolicMemory::keep(const Actor& actor, int rank, Place place, int block) {
  cells_[cell_index(rank, place, block, actor.spot.chunk)].value.prepared = true;
}

void SymbolicMemory::write(const Actor& actor, int rank, Place place, int block, const Value& value) {
  if (place == Place::input) {
    throw Failure(fmt::format("{} writes to the input of rank {}", to_string(actor.spot), rank));
  }
  if (!meaning_.holds(rank, place, block)) {
    throw Failure(fmt::format("{} writes {} block {} of rank {}, which has no such block", to_string(actor.spot),
                              to_string(place), block, rank),
                  value.event);
  }
  Cell& cell = cells_[cell_index(rank, place, block, actor.spot.chunk)];
  if (watch_order_) {
    check_order(*actor.clock, actor.spot, "writes", cell.written, "writes", {rank, place, block});
    for (const Access& reading : cell.readings) {
      check_order(*actor.clock, actor.spot, "writes", reading, "reads", {rank, place, block});
    }
  }
  cell.value = value;
  if (!watch_order_) return;
  cell.written = {actor.lane, (*actor.clock)[static_cast<std::size_t>(actor.lane)], actor.spot};
  cell.readings.clear();
}

}  // namespace tutti::plan
