#include "cli/study_failures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace tutti::cli {

namespace {

constexpr std::array rates{
    FailureRate{2.34, "Kokolis et al., HPCA 2025, arXiv 2410.21680: cluster RSC-2"},
    FailureRate{3.79, "The Llama 3 Herd of Models, arXiv 2407.21783: 419 interruptions in 54 days on 16,384 GPUs"},
    FailureRate{6.50, "Kokolis et al.: cluster RSC-1, jobs above 128 GPUs"},
    FailureRate{23.7, "what the measured 7.9 h of jobs of 1,024 GPUs in Kokolis et al. comes to"},
};

constexpr std::array published{
    PublishedMttf{1024, 7.9, "measured"},
    PublishedMttf{16384, 1.8, "projected"},
    PublishedMttf{131072, 0.23, "projected"},
};

constexpr int least_failures = 1000;
constexpr int most_failures = 200000;

}  // namespace

std::span<const FailureRate> failure_rates() { return rates; }
std::span<const PublishedMttf> published_mttf() { return published; }

double mttf_hours(std::int64_t gpus, double per_1000_node_days) {
  const double nodes = static_cast<double>(gpus) / 8;
  return 24 * 1000 / (nodes * per_1000_node_days);
}

double young_s(double write_s, double mttf_s) { return std::sqrt(2 * write_s * mttf_s); }

double daly_s(double write_s, double mttf_s) {
  if (write_s >= 2 * mttf_s) return mttf_s;
  const double half = write_s / (2 * mttf_s);
  return young_s(write_s, mttf_s) * (1 + std::sqrt(half) / 3 + half / 9) - write_s;
}

double goodput_with_restart(const Recovery& r, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> life(1 / r.mttf_s);
  const double interval = r.interval_s > 0 ? r.interval_s : daly_s(r.write_s, r.mttf_s);
  double total = 0;
  double useful = 0;
  for (int failure = 0; failure < least_failures; ++failure) {
    // What is left of this life after a restart that failures may cut short.
    double left = life(random);
    int tries = 0;
    while (left < r.restart_s && tries++ < most_failures) {
      total += left;
      left = life(random);
    }
    total += left;
    left -= r.restart_s;
    // Only intervals whose checkpoint was written count.
    useful += interval * std::floor(std::max(0.0, left) / (interval + r.write_s));
  }
  return useful / total;
}

double goodput_with_shrinking(const Recovery& r, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> life(1 / r.mttf_s);
  std::priority_queue<double, std::vector<double>, std::greater<>> repairs;  // when nodes are back
  double now = 0;
  double useful = 0;
  for (int failure = 0; failure < least_failures; ++failure) {
    const double next = now + life(random);
    while (now < next) {
      const double until = repairs.empty() ? next : std::min(next, repairs.top());
      const double share = 1 - static_cast<double>(repairs.size()) / static_cast<double>(r.nodes);
      useful += (until - now) * std::max(0.0, share);
      now = until;
      while (!repairs.empty() && repairs.top() <= now) repairs.pop();
    }
    now += r.shrink_s;  // everybody stands still, and failures meanwhile cost no more
    repairs.push(now + r.repair_s);
  }
  return useful / now;
}

}  // namespace tutti::cli
