#include "price_fit.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace tutti::bench {

namespace {

using choose::Coefficients;

double predicted(const PriceTable& table, const TableRow& row, const Coefficients& c) {
  return choose::least_us(table.collective, static_cast<std::size_t>(row.bytes), table.platform, table.wanted, c);
}

/// Tables that are noise for the most part, or of a machine that no target names, count less.
double weight_of(const PriceTable& table) {
  if (table.target == 0) return 0.4;
  return table.platform.nodes > 2 || table.wanted.patterns.size() == 1 ? 3 : table.target == 15 ? 1 : 2;
}

class Fit {
 public:
  Fit(const std::vector<PriceTable>& tables, int left_out) : tables_(tables), left_out_(left_out) {
    for_each_coefficient(c_, [&](const std::string& name, double& value, double spread) {
      knobs_.push_back({&value, value, spread, name.find("efficiency") != std::string::npos});
    });
  }

  void descend(int turns) {
    std::vector<double> steps(knobs_.size(), 0.15);
    double best = loss();
    for (int turn = 0; turn < turns; ++turn) {
      for (std::size_t i = 0; i < knobs_.size(); ++i) {
        const double old = *knobs_[i].value;
        bool better = false;
        for (const double step : {steps[i], -steps[i]}) {
          set(i, old * std::exp(step));
          if (const double now = loss(); now < best - 1e-9) {
            best = now;
            better = true;
            break;
          }
          *knobs_[i].value = old;
        }
        steps[i] = better ? std::min(steps[i] * 1.5, 0.5) : std::max(steps[i] * 0.6, 0.002);
      }
    }
  }

  /// Random trials that may also go uphill, ever less.
  void anneal(int trials, unsigned seed) {
    std::minstd_rand random(seed);
    const auto uniform = [&] { return static_cast<double>(random() % 1000003) / 1000003.0; };
    double now = loss();
    double best = now;
    std::vector<double> kept = values();
    for (int trial = 0; trial < trials; ++trial) {
      const double heat = 0.004 * (1 - static_cast<double>(trial) / trials) + 1e-9;
      const std::vector<double> before = values();
      const int many = 1 + static_cast<int>(uniform() * 3);
      for (int k = 0; k < many; ++k) {
        const auto i = static_cast<std::size_t>(uniform() * static_cast<double>(knobs_.size()));
        set(i, *knobs_[i].value * std::exp((uniform() - 0.5) * knobs_[i].spread));
      }
      const double then = loss();
      if (then < now || uniform() < std::exp((now - then) / heat)) {
        now = then;
        if (now < best) {
          best = now;
          kept = values();
        }
      } else {
        restore(before);
      }
    }
    restore(kept);
  }

  const Coefficients& coefficients() const { return c_; }

 private:
  struct Knob {
    double* value;
    double published;
    double spread;
    bool share;  ///< of a line rate: headers take what is above `most_share`
  };
  static constexpr double most_share = 0.985;

  void set(std::size_t i, double value) { *knobs_[i].value = knobs_[i].share ? std::min(value, most_share) : value; }
  std::vector<double> values() const {
    std::vector<double> all;
    for (const Knob& knob : knobs_) all.push_back(*knob.value);
    return all;
  }
  void restore(const std::vector<double>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) *knobs_[i].value = all[i];
  }

  double loss() const {
    double sum = 0;
    double weights = 0;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      if (static_cast<int>(t) == left_out_) continue;
      const PriceTable& table = tables_[t];
      double logs = 0;
      double percents = 0;
      for (const TableRow& row : table.rows) {
        const double ratio = predicted(table, row, c_) / row.us;
        logs += std::abs(std::log(ratio));
        percents += std::abs(ratio - 1);
      }
      const auto rows = static_cast<double>(table.rows.size());
      const double weight = weight_of(table);
      sum += weight * logs / rows;
      if (table.target > 0) sum += 6 * std::max(0.0, percents / rows - 0.95 * table.target / 100);
      weights += weight;
    }
    double pull = 0;
    for (const Knob& knob : knobs_) {
      const double away = std::log(*knob.value / knob.published) / knob.spread;
      pull += away * away;
    }
    constexpr double pull_weight = 0.04;
    return sum / weights + pull_weight * pull / static_cast<double>(knobs_.size());
  }

  const std::vector<PriceTable>& tables_;
  int left_out_;
  Coefficients c_ = choose::published_coefficients();
  std::vector<Knob> knobs_{};
};

}  // namespace

double mean_absolute_error(const PriceTable& table, const Coefficients& coefficients) {
  double sum = 0;
  for (const TableRow& row : table.rows) sum += std::abs(predicted(table, row, coefficients) / row.us - 1);
  return 100 * sum / static_cast<double>(table.rows.size());
}

Coefficients fit(const std::vector<PriceTable>& tables, int left_out, int effort, unsigned seed) {
  Fit fit(tables, left_out);
  fit.descend(20);
  fit.anneal(effort, seed);
  return fit.coefficients();
}

}  // namespace tutti::bench
