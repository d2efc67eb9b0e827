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

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Rounds {
 public:
  Rounds(Communicator& communicator, const std::vector<Candidate>& candidates, const Method& method)
      : communicator_(communicator),
        candidates_(candidates),
        method_(method),
        place_{communicator.rank(), communicator.size()} {}

  std::vector<Timing> run() {
    for (const Candidate& candidate : candidates_) {
      for (int i = 0; i < method_.warm_up; ++i) candidate.run();
    }
    plan(estimates());
    batches_.assign(candidates_.size(), {});
    singles_.assign(candidates_.size(), {});
    for (std::size_t round = 0; round < rounds_; ++round) {
      for (std::size_t turn = 0; turn < candidates_.size(); ++turn) one_batch((round + turn) % candidates_.size());
    }
    return timings();
  }

 private:
  /// Seconds of one operation of each candidate, about; the same on all ranks.
  std::vector<double> estimates() {
    std::vector<double> times;
    for (const Candidate& candidate : candidates_) {
      std::size_t iterations = 1;
      while (true) {
        std::vector<double> time{batch(candidate, iterations)};
        largest_of_ranks(communicator_, time);
        if (time[0] >= batch_seconds || iterations >= most_iterations) {
          times.push_back(std::max(time[0], 1e-9) / static_cast<double>(iterations));
          break;
        }
        const double growth = std::clamp(1.2 * batch_seconds / std::max(time[0], 1e-9), 2.0, 16.0);
        iterations = static_cast<std::size_t>(static_cast<double>(iterations) * growth);
      }
    }
    return times;
  }

  void plan(const std::vector<double>& estimate) {
    const auto n = static_cast<double>(candidates_.size());
    const double round_seconds = std::accumulate(estimate.begin(), estimate.end(), 0.0);
    rounds_ = static_cast<std::size_t>(
        std::clamp(method_.seconds * n / round_seconds, double{fewest_rounds}, double{most_rounds}));
    if (method_.iterations > 0) rounds_ = static_cast<std::size_t>(std::min(method_.iterations, most_rounds));
    for (const double time : estimate) {
      double length = 0.8 * method_.seconds / static_cast<double>(rounds_) / time;
      if (method_.iterations > 0) length = std::ceil(method_.iterations / static_cast<double>(rounds_));
      lengths_.push_back(static_cast<std::size_t>(std::clamp(length, 1.0, double{most_iterations})));
    }
  }

  /// Seconds of `iterations` operations back to back.
  double batch(const Candidate& candidate, std::size_t iterations) {
    barrier(communicator_).wait();
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < iterations; ++i) candidate.run();
    return seconds_since(start);
  }

  /// Seconds of each operation by itself.
  void single(const Candidate& candidate, std::size_t iterations, std::vector<double>& times) {
    barrier(communicator_).wait();
    for (std::size_t i = 0; i < iterations; ++i) {
      if (method_.dirty) {
        touch(candidate.call, place_);
        barrier(communicator_).wait();
      }
      const Clock::time_point start = Clock::now();
      candidate.run();
      times.push_back(seconds_since(start));
    }
  }

  void one_batch(std::size_t which) {
    const std::size_t length = lengths_[which];
    if (method_.dirty || length == 1) {
      single(candidates_[which], length, singles_[which]);
      return;
    }
    batches_[which].push_back(batch(candidates_[which], length) / static_cast<double>(length));
    single(candidates_[which], singles_in(length), singles_[which]);
  }

  static std::size_t singles_in(std::size_t length) { return std::clamp<std::size_t>(length / 4, 1, 1000); }

  std::vector<Timing> timings() {
    std::vector<Timing> result;
    for (std::size_t which = 0; which < candidates_.size(); ++which) {
      std::vector<double>& batches = batches_[which];
      std::vector<double>& singles = singles_[which];
      largest_of_ranks(communicator_, singles);
      if (batches.empty()) {
        const auto length = static_cast<std::ptrdiff_t>(lengths_[which]);
        for (auto at = singles.begin(); at != singles.end(); at += length) {
          batches.push_back(std::accumulate(at, at + length, 0.0) / static_cast<double>(length));
        }
      } else {
        largest_of_ranks(communicator_, batches);
      }
      const auto us = [](const std::vector<double>& times, double share) { return 1e6 * quantile(times, share); };
      result.push_back({.median = us(batches, 0.5),
                        .p25 = us(batches, 0.25),
                        .p75 = us(batches, 0.75),
                        .p99 = us(singles, 0.99),
                        .iterations = rounds_ * lengths_[which]});
    }
    return result;
  }

  Communicator& communicator_;
  const std::vector<Candidate>& candidates_;
  Method method_;
  Place place_;
  std::size_t rounds_ = 0;
  std::vector<std::size_t> lengths_;          ///< [candidates] operations of a batch
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
