/// @file  A toy executor: plays a schedule on real numbers in one thread, by nothing but Step, Layout and chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "tutti/plan/layout.hpp"
#include "tutti/plan/program.hpp"

namespace tutti::plan {

using Number = std::int64_t;
using Numbers = std::vector<Number>;

/// A rank of the toy: its layout and its buffers. In place, input and output lie in one vector.
struct Toy {
  Layout layout{};
  Numbers memory{};
  std::size_t input_at = 0;
  std::size_t output_at = 0;
  std::size_t output_size = 0;
  Numbers scratch{};

  Number& at(Place place, std::size_t offset) {
    if (place == Place::scratch) return scratch.at(offset);
    return memory.at((place == Place::input ? input_at : output_at) + offset);
  }
  Numbers output() const {
    const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(output_at);
    return {begin, begin + static_cast<std::ptrdiff_t>(output_size)};
  }
};

/// A part as it enters a reduction, and a sum as it leaves it: both change it so that doing so twice, or not at all,
/// shows.
inline Number prepared(Number part, int rank) { return part * (rank + 3); }
inline Number finished(Number sum) { return sum * 7 + 1; }

class ToyExecutor {
 public:
  ToyExecutor(const Schedule& schedule, std::vector<Toy>& toys, std::size_t chunk, std::size_t slots)
      : program_(program_of(schedule)), toys_(toys), chunk_(chunk), slots_(slots) {}

  /// False when it got stuck.
  bool run() {
    struct Cursor {
      std::size_t round = 0;
      std::size_t index = 0;
      bool arrived = false;
    };
    std::vector<std::vector<Cursor>> cursors;
    for (const auto& lanes : program_.steps) cursors.emplace_back(lanes.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < program_.steps.size(); ++rank) {
        for (std::size_t lane = 0; lane < program_.steps[rank].size(); ++lane) {
          const auto& steps = program_.steps[rank][lane];
          Cursor& cursor = cursors[rank][lane];
          if (steps.empty() || cursor.round >= rounds(toys_[rank].layout, chunk_)) continue;
          const Step& step = steps[cursor.index];
          if (step.barrier) {
            if (!cursor.arrived) arrivals_ += 1;
            cursor.arrived = true;
            if (arrivals_ < program_.steps.size() * (passed_[rank] + 1)) continue;
            passed_[rank] += 1;
            cursor.arrived = false;
          } else if (!attempt(static_cast<int>(rank), step, cursor.round)) {
            continue;
          }
          moved = true;
          if (++cursor.index == steps.size()) {
            cursor.index = 0;
            ++cursor.round;
          }
        }
      }
    }
    for (std::size_t rank = 0; rank < program_.steps.size(); ++rank) {
      for (std::size_t lane = 0; lane < program_.steps[rank].size(); ++lane) {
        if (!program_.steps[rank][lane].empty() && cursors[rank][lane].round < rounds(toys_[rank].layout, chunk_)) {
          return false;
        }
      }
    }
    return std::all_of(wires_.begin(), wires_.end(), [](const auto& wire) { return wire.second.empty(); });
  }

  std::size_t longest_message() const { return longest_message_; }

 private:
  using Wire = std::deque<Numbers>;

  Wire& wire(int from, int to, int number) { return wires_[{from, to, number}]; }

  bool attempt(int rank, const Step& step, std::size_t round) {
    Toy& toy = toys_[static_cast<std::size_t>(rank)];
    const Place held = step.own != Place::none ? step.own : step.store;
    std::size_t total = 0;
    for (int i = 0, b = step.blocks.first; i < step.blocks.count; ++i, b = step.blocks.after(b)) {
      const std::size_t length = piece(toy.layout, held, b, round, chunk_).length;
      const std::size_t all = toy.layout.length(step, b);
      if (length != (round * chunk_ >= all ? 0 : std::min(chunk_, all - round * chunk_))) {
        throw std::logic_error("piece and length of a step disagree");
      }
      total += length;
    }
    if (total == 0) return true;
    for (int i = 0; step.from_place == Place::none && i < step.from.count; ++i) {
      if (wire(step.from[i], rank, step.from_wire).empty()) return false;
    }
    for (int i = 0; step.to_place == Place::none && i < step.to.count; ++i) {
      if (wire(rank, step.to[i], step.to_wire).size() >= slots_) return false;
    }
    transfer(rank, step, round, total);
    return true;
  }

  void transfer(int rank, const Step& step, std::size_t round, std::size_t total) {
    Toy& toy = toys_[static_cast<std::size_t>(rank)];
    const bool reducing = reduces(program_.schedule.collective);
    const Place held = step.own != Place::none ? step.own : step.store;
    const auto begin_at = [&](Place place, int block, int whose) {
      return toy.layout.offset(place, block, whose) + round * chunk_;
    };
    Numbers message;
    for (int i = 0, b = step.blocks.first; i < step.blocks.count; ++i, b = step.blocks.after(b)) {
      const std::size_t length = piece(toy.layout, held, b, round, chunk_).length;
      for (std::size_t element = 0; element < length; ++element) {
        std::optional<Number> sum;
        const auto add = [&](Number part) { sum = sum.value_or(0) + part; };
        for (int s = 0; s < step.from.count; ++s) {
          const int peer = step.from[s];
          if (step.from_place == Place::none) {
            const Numbers& incoming = wire(peer, rank, step.from_wire).front();
            if (incoming.size() != total) throw std::logic_error("a message of another length");
            add(incoming[message.size()]);
          } else {
            const Number part =
                toys_[static_cast<std::size_t>(peer)].at(step.from_place, begin_at(step.from_place, b, peer) + element);
            add(reducing && step.from_place == Place::input ? prepared(part, peer) : part);
          }
        }
        if (step.own != Place::none) {
          const Number part = toy.at(step.own, begin_at(step.own, b, rank) + element);
          add(reducing && step.own == Place::input ? prepared(part, rank) : part);
        }
        const Number result = step.finish ? finished(sum.value()) : sum.value();
        if (step.store != Place::none) toy.at(step.store, begin_at(step.store, b, rank) + element) = result;
        for (int d = 0; step.to_place != Place::none && d < step.to.count; ++d) {
          toys_[static_cast<std::size_t>(step.to[d])].at(step.to_place,
                                                         begin_at(step.to_place, b, step.to[d]) + element) = result;
        }
        message.push_back(result);
      }
    }
    for (int s = 0; step.from_place == Place::none && s < step.from.count; ++s) {
      wire(step.from[s], rank, step.from_wire).pop_front();
    }
    for (int d = 0; step.to_place == Place::none && d < step.to.count; ++d) {
      wire(rank, step.to[d], step.to_wire).push_back(message);
      longest_message_ = std::max(longest_message_, message.size());
    }
  }

  Program program_;
  std::vector<Toy>& toys_;
  std::size_t chunk_;
  std::size_t slots_;
  std::size_t longest_message_ = 0;
  std::size_t arrivals_ = 0;
  std::map<std::size_t, std::size_t> passed_{};
  std::map<std::tuple<int, int, int>, Wire> wires_{};
};

}  // namespace tutti::plan
