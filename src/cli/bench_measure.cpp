#include "cli/bench_measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "cli/bench_check.hpp"
#include "cli/bench_statistics.hpp"
#include "tutti/collectives.hpp"

namespace tutti::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_rounds = 20;
constexpr int fewest_rounds = 5;
constexpr double batch_seconds = 200e-6;          ///< long beside a clock's reading and a barrier's skew
constexpr std::size_t most_iterations = 1 << 18;  ///< of one batch
constexpr double piece_seconds = 1e-3;            ///< of a batch, at the end of which the ranks agree on going on
constexpr int most_pieces = 8;
constexpr std::size_t most_singles = 64;  ///< operations timed by themselves before the ranks agree on going on

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What one batch came to, the same on all ranks.
struct Batch {
  double seconds = 0;  ///< of the slowest rank, piece by piece
  std::size_t iterations = 0;
  bool cut = false;  ///< they took so much longer than planned that it ended early
};

class Rounds {
 public:
  Rounds(Communicator& communicator, const std::vector<Candidate>& candidates, const Method& method)
      : communicator_(communicator),
        candidates_(candidates),
        method_(method),
        place_{communicator.rank(), communicator.size()} {}

  std::vector<Timing> run() {
    batches_.assign(candidates_.size(), {});
    singles_.assign(candidates_.size(), {});
    iterations_.assign(candidates_.size(), 0);
    plan(estimates());
    for (std::size_t round = 0; round < rounds_; ++round) {
      for (std::size_t turn = 0; turn < candidates_.size(); ++turn) one_batch((round + turn) % candidates_.size());
      if (method_.bounded && round + 1 < rounds_ && agreed(seconds_since(start_)) > all_seconds()) break;
    }
    return timings();
  }

 private:
  double all_seconds() const { return method_.seconds * static_cast<double>(candidates_.size()); }

  /// That of the slowest rank.
  double agreed(double seconds) {
    std::vector<double> time{seconds};
    largest_of_ranks(communicator_, time);
    return time[0];
  }

  /// After the warm-up: seconds of one operation of each candidate, about; the same on all ranks.
  std::vector<double> estimates() {
    std::vector<double> times;
    for (const Candidate& candidate : candidates_) {
      const double first = std::max(agreed(batch(candidate, 1)), 1e-9);
      if (method_.bounded && first > method_.seconds) {  // there is time for nothing more: this is it
        const std::size_t which = times.size();
        batches_[which] = singles_[which] = {first};
        iterations_[which] = 1;
        times.push_back(first);
        continue;
      }
      double warm_up = method_.warm_up;
      if (method_.bounded) warm_up = std::min(warm_up, std::ceil(method_.seconds / 4 / first));
      for (int i = 0; i < static_cast<int>(warm_up); ++i) candidate.run();
      if (method_.dirty) {  // with what lies between the operations
        std::vector<double> unused;
        const Clock::time_point start = Clock::now();
        single(candidate, 2, method_.seconds, unused);
        times.push_back(agreed(seconds_since(start)) / 2);
        continue;
      }
      for (std::size_t iterations = 1;;) {
        const double time = std::max(agreed(batch(candidate, iterations)), 1e-9);
        if (time >= batch_seconds || iterations >= most_iterations) {
          times.push_back(time / static_cast<double>(iterations));
          break;
        }
        iterations *= static_cast<std::size_t>(std::clamp(1.2 * batch_seconds / time, 2.0, 8.0));
      }
    }
    return times;
  }

  void plan(const std::vector<double>& estimate) {
    double round_seconds = 1e-9;
    for (std::size_t which = 0; which < estimate.size(); ++which) {
      if (iterations_[which] == 0) round_seconds += estimate[which];
    }
    const int fewest = method_.bounded ? 1 : fewest_rounds;
    rounds_ = static_cast<std::size_t>(std::clamp(all_seconds() / round_seconds, double(fewest), double{most_rounds}));
    if (method_.iterations > 0) rounds_ = static_cast<std::size_t>(std::min(method_.iterations, most_rounds));
    for (const double time : estimate) {
      double length = 0.8 * method_.seconds / static_cast<double>(rounds_) / time;
      if (method_.iterations > 0) length = std::ceil(method_.iterations / static_cast<double>(rounds_));
      const bool over = iterations_[lengths_.size()] != 0;
      lengths_.push_back(over ? 0 : static_cast<std::size_t>(std::clamp(length, 1.0, double{most_iterations})));
      planned_.push_back(time * static_cast<double>(lengths_.back()));
    }
    asked_ = lengths_;
  }

  /// Seconds of `iterations` operations back to back.
  double batch(const Candidate& candidate, std::size_t iterations) {
    barrier(communicator_).wait();
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < iterations; ++i) candidate.run();
    return seconds_since(start);
  }

  /// The same in pieces, each still long beside the clock and the barrier; ends early when they take far too long.
  Batch batch_in_pieces(const Candidate& candidate, std::size_t iterations, double planned) {
    const auto pieces = static_cast<std::size_t>(std::clamp(planned / piece_seconds, 1.0, double{most_pieces}));
    const std::size_t piece = (iterations + pieces - 1) / pieces;
    Batch result;
    while (result.iterations < iterations && !result.cut) {
      const std::size_t length = std::min(piece, iterations - result.iterations);
      result.seconds += agreed(batch(candidate, length));
      result.iterations += length;
      result.cut = method_.bounded && result.seconds > 2 * planned && result.iterations < iterations;
    }
    return result;
  }

  /// Seconds of each operation by itself, the slowest rank's, go behind `times`; the whole, with what lies between them,
  /// is bounded too.
  Batch single(const Candidate& candidate, std::size_t iterations, double planned, std::vector<double>& times) {
    Batch result;
    barrier(communicator_).wait();
    const Clock::time_point start = Clock::now();
    while (result.iterations < iterations && !result.cut) {
      std::vector<double> some;
      const std::size_t length = std::min(most_singles, iterations - result.iterations);
      for (std::size_t i = 0; i < length; ++i) {
        if (method_.dirty) {
          touch(candidate.call, place_);
          barrier(communicator_).wait();
        }
        const Clock::time_point begun = Clock::now();
        candidate.run();
        some.push_back(seconds_since(begun));
      }
      some.push_back(seconds_since(start));
      largest_of_ranks(communicator_, some);
      const double whole = some.back();
      some.pop_back();
      result.seconds += std::accumulate(some.begin(), some.end(), 0.0);
      result.iterations += length;
      result.cut = method_.bounded && whole > 3 * planned && result.iterations < iterations;
      times.insert(times.end(), some.begin(), some.end());
    }
    return result;
  }

  void one_batch(std::size_t which) {
    const Candidate& candidate = candidates_[which];
    const std::size_t length = lengths_[which];
    if (length == 0) return;
    const bool by_themselves = method_.dirty || length == 1;
    const Batch done = by_themselves ? single(candidate, length, planned_[which], singles_[which])
                                     : batch_in_pieces(candidate, length, planned_[which]);
    batches_[which].push_back(done.seconds / static_cast<double>(done.iterations));
    iterations_[which] += done.iterations;
    if (done.cut) lengths_[which] = done.iterations;
    if (by_themselves) return;
    const std::size_t singles = std::clamp<std::size_t>(length / 4, 1, 1000);
    single(candidate, done.cut ? 1 : singles, planned_[which] / 4, singles_[which]);
  }

  std::vector<Timing> timings() {
    std::vector<Timing> result;
    for (std::size_t which = 0; which < candidates_.size(); ++which) {
      const auto us = [](const std::vector<double>& times, double share) { return 1e6 * quantile(times, share); };
      const std::size_t planned = asked_[which] * rounds_;
      const auto [low, high] = median_interval(batches_[which]);
      result.push_back({.median = us(batches_[which], 0.5),
                        .low = 1e6 * low,
                        .high = 1e6 * high,
                        .p25 = us(batches_[which], 0.25),
                        .p75 = us(batches_[which], 0.75),
                        .p99 = us(singles_[which], 0.99),
                        .iterations = iterations_[which],
                        .cut_short = iterations_[which] < planned || planned < std::size_t{fewest_rounds}});
      if (!method_.bounded) result.back().cut_short = false;
    }
    return result;
  }

  Communicator& communicator_;
  const std::vector<Candidate>& candidates_;
  Method method_;
  Place place_;
  Clock::time_point start_ = Clock::now();
  std::size_t rounds_ = 0;
  std::vector<std::size_t> asked_;       ///< [candidates] operations of a batch, as planned; 0: none, it is measured
  std::vector<std::size_t> lengths_;     ///< [candidates] the same, shorter when they took too long
  std::vector<double> planned_;          ///< [candidates] seconds of a batch
  std::vector<std::size_t> iterations_;  ///< [candidates] operations of all batches so far
  std::vector<std::vector<double>> batches_;  ///< [candidates][rounds] seconds of one operation
  std::vector<std::vector<double>> singles_;  ///< [candidates][…] the same, of operations timed by themselves
};

}  // namespace

std::vector<Timing> measure(Communicator& communicator, const std::vector<Candidate>& candidates,
                            const Method& method) {
  return Rounds(communicator, candidates, method).run();
}

void largest_of_ranks(Communicator& communicator, std::vector<double>& values) {
  all_reduce(communicator, on_host(values), maximum).wait();
}

}  // namespace tutti::bench
