#include "cli/sweep_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "cli/bench_statistics.hpp"
#include "tutti/choose/price.hpp"

namespace tutti::sweep {

namespace {

const Cell& cell(const SweepResult& result, std::size_t combination, std::size_t size) {
  static const Cell not_yet;
  const std::vector<Cell>& cells = result.outcomes[combination].cells;
  return size < cells.size() ? cells[size] : not_yet;
}

bool same_way(const Combination& a, const Combination& b) {
  return a.algorithm == b.algorithm && a.protocol == b.protocol && a.channels == b.channels;
}

/// Chance that a is quicker than b when errors of the predictions are independent and log-normal.
double chance_of_predictions(const Cell& a, const Cell& b) {
  const double spread = std::hypot(a.spread, b.spread);
  if (spread <= 0) return 1;
  return 0.5 * std::erfc(-std::log(b.median() / a.median()) / (spread * std::sqrt(2.0)));
}

/// How often the winner's median stays the smallest when launches are drawn anew, with replacement. Launches are
/// interleaved, so the same ones are drawn for all.
double chance_of_launches(const SweepResult& result, std::size_t winner, std::size_t size) {
  const std::size_t launches = cell(result, winner, size).us.size();
  constexpr std::size_t least_launches = 3;
  if (launches < least_launches) return -1;
  std::mt19937_64 random(size + 1);
  constexpr int draws = 1000;
  int won = 0;
  std::vector<std::size_t> drawn(launches);
  std::vector<double> samples(launches);
  const auto median_of = [&](const Cell& of) {
    for (std::size_t i = 0; i < launches; ++i) samples[i] = of.us[drawn[i]];
    return bench::quantile(samples, 0.5);
  };
  for (int draw = 0; draw < draws; ++draw) {
    for (std::size_t& index : drawn) index = random() % launches;
    const double best = median_of(cell(result, winner, size));
    bool first = true;
    for (std::size_t c = 0; c < result.outcomes.size() && first; ++c) {
      if (c == winner || !result.outcomes[c].excluded.empty() || cell(result, c, size).us.size() != launches) continue;
      first = best <= median_of(cell(result, c, size));
    }
    won += first ? 1 : 0;
  }
  return static_cast<double>(won) / draws;
}

}  // namespace

double Cell::median() const { return us.empty() ? std::numeric_limits<double>::infinity() : bench::quantile(us, 0.5); }

std::vector<Winner> winners(const SweepPlan& plan, const SweepResult& result) {
  std::vector<Winner> all(plan.sizes.size());
  for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
    Winner& winner = all[size];
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < result.outcomes.size(); ++c) {
      if (!result.outcomes[c].excluded.empty() || cell(result, c, size).median() >= best) continue;
      best = cell(result, c, size).median();
      winner.combination = static_cast<int>(c);
    }
    if (winner.combination < 0) continue;
    const auto first = static_cast<std::size_t>(winner.combination);
    winner.us = best;
    winner.busbw_gbs = static_cast<double>(plan.sizes[size]) / best / 1e3 *
                       choose::bus_factor(Collective::all_reduce, static_cast<int>(result.ranks));
    double second = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < result.outcomes.size(); ++c) {
      if (c == first || !result.outcomes[c].excluded.empty() || cell(result, c, size).median() >= second) continue;
      if (plan.simulated && same_way(plan.combinations[c], plan.combinations[first])) continue;
      second = cell(result, c, size).median();
      winner.next = static_cast<int>(c);
    }
    if (winner.next < 0) continue;
    winner.ahead = second / best - 1;
    winner.sure = plan.simulated ? chance_of_predictions(cell(result, first, size),
                                                         cell(result, static_cast<std::size_t>(winner.next), size))
                                 : chance_of_launches(result, first, size);
  }
  return all;
}

std::vector<std::string> idle_settings(const SweepPlan& plan, const SweepResult& result) {
  std::vector<std::string> idle;
  if (!plan.simulated) return idle;
  const auto alike = [&](std::size_t a, std::size_t b) {
    if (result.outcomes[a].excluded != result.outcomes[b].excluded) return false;
    for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
      if (result.outcomes[a].excluded.empty() && cell(result, a, size).us != cell(result, b, size).us) return false;
    }
    return true;
  };
  const std::size_t keys = plan.combinations.front().settings.size();
  for (std::size_t key = 0; key < keys; ++key) {
    bool several = false;
    bool same = true;
    for (std::size_t a = 0; a < plan.combinations.size() && same; ++a) {
      for (std::size_t b = a + 1; b < plan.combinations.size() && same; ++b) {
        Combination other = plan.combinations[b];
        if (other.settings[key] == plan.combinations[a].settings[key]) continue;
        other.settings[key] = plan.combinations[a].settings[key];
        if (!same_way(other, plan.combinations[a]) || other.settings != plan.combinations[a].settings) continue;
        several = true;
        same = alike(a, b);
      }
    }
    if (several && same) idle.push_back(plan.combinations.front().settings[key].first);
  }
  return idle;
}

std::string short_name(const Combination& combination, const std::vector<std::string>& idle) {
  Combination shown = combination;
  std::erase_if(shown.settings,
                [&](const auto& setting) { return std::find(idle.begin(), idle.end(), setting.first) != idle.end(); });
  return shown.name();
}

}  // namespace tutti::sweep
