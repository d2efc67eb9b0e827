#include "cli/tune_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::tune {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double least_at(const Measurements& measured, std::size_t size, std::size_t placement) {
  double least = infinite;
  for (const MeasuredWay& way : measured.ways) {
    if (const double us = way.us[size][placement].value; us > 0) least = std::min(least, us);
  }
  return least;
}

/// The placement in which a way is slower beside the others.
std::size_t worse_placement(const Measurements& measured, std::size_t way, std::size_t size) {
  const auto ratio = [&](std::size_t placement) {
    const double us = measured.ways[way].us[size][placement].value;
    return us > 0 ? us / least_at(measured, size, placement) : 0;
  };
  return ratio(1) > ratio(0) ? 1 : 0;
}

Interval worse_us(const Measurements& measured, std::size_t way, std::size_t size) {
  return measured.ways[way].us[size][worse_placement(measured, way, size)];
}

/// The way at each size.
std::vector<std::size_t> sequence(const Measurements& measured, double hysteresis) {
  const std::size_t sizes = measured.bytes.size();
  const std::size_t ways = measured.ways.size();
  const double change = std::log1p(hysteresis);
  std::vector<double> cost(ways, 0);
  std::vector<std::vector<std::size_t>> from(sizes, std::vector<std::size_t>(ways));
  for (std::size_t size = 0; size < sizes; ++size) {
    const auto cheapest = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
    std::vector<double> next(ways);
    for (std::size_t way = 0; way < ways; ++way) {
      const bool stay = size == 0 || cost[way] <= cost[cheapest] + change;
      from[size][way] = stay ? way : cheapest;
      next[way] = (stay ? cost[way] : cost[cheapest] + change) + std::log(regret(measured, way, size));
    }
    cost = std::move(next);
  }
  std::vector<std::size_t> taken(sizes);
  auto way = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  for (std::size_t size = sizes; size-- > 0;) {
    taken[size] = way;
    way = from[size][way];
  }
  return taken;
}

/// Where a straight line from `before` (below 0) to `after` passes 0, as a share of the way.
double passage(double before, double after) {
  if (before >= 0) return 0;
  if (after <= 0) return 1;
  return before / (before - after);
}

/// Between two neighbouring sizes, by the logarithms of sizes and times.
TunedTurn turn_between(const Measurements& measured, std::size_t size, std::size_t left, std::size_t taken) {
  const auto least = static_cast<double>(measured.bytes[size - 1]);
  const double ratio = static_cast<double>(measured.bytes[size]) / least;
  const auto ahead = [&](std::size_t at, double Interval::*of_left, double Interval::*of_taken) {
    if (!measured.ways[left].at(at)) return 1.0;  // given up: it was far behind
    if (!measured.ways[taken].at(at)) return -1.0;
    return std::log(worse_us(measured, left, at).*of_left / worse_us(measured, taken, at).*of_taken);
  };
  const auto bytes = [&](double Interval::*of_left, double Interval::*of_taken) {
    const double share = passage(ahead(size - 1, of_left, of_taken), ahead(size, of_left, of_taken));
    const auto there = static_cast<std::size_t>(std::ceil(least * std::pow(ratio, share)));
    return std::clamp(there, measured.bytes[size - 1] + 1, measured.bytes[size]);
  };
  return {.bytes = bytes(&Interval::value, &Interval::value),
          .low = bytes(&Interval::high, &Interval::low),
          .high = bytes(&Interval::low, &Interval::high),
          .algorithm = measured.ways[taken].algorithm,
          .protocol = measured.ways[taken].protocol};
}

/// Least squares of relative errors: 1/t weighs both columns of time = latency + bytes · slope.
void fit_line(TunedWay& way) {
  double one_one = 0, one_bytes = 0, bytes_bytes = 0, one_right = 0, bytes_right = 0;
  for (const TunedPoint& point : way.points) {
    const double one = 1 / point.us.value;
    const double bytes = static_cast<double>(point.bytes) / point.us.value;
    one_one += one * one;
    one_bytes += one * bytes;
    bytes_bytes += bytes * bytes;
    one_right += one;
    bytes_right += bytes;
  }
  const double determinant = one_one * bytes_bytes - one_bytes * one_bytes;
  double latency = one_right / one_one;
  double slope = 0;  // microseconds a byte
  const bool line = way.points.size() > 2 && determinant > 1e-9 * one_one * bytes_bytes;
  if (line) {
    latency = (one_right * bytes_bytes - bytes_right * one_bytes) / determinant;
    slope = (bytes_right * one_one - one_right * one_bytes) / determinant;
  }
  if (line && latency < 0) {
    latency = 0;
    slope = bytes_right / bytes_bytes;
  }
  if (slope <= 0) {
    slope = 0;
    latency = one_right / one_one;
  }
  double squares = 0;
  for (const TunedPoint& point : way.points) {
    const double off = (latency + slope * static_cast<double>(point.bytes)) / point.us.value - 1;
    way.error += std::abs(off) / static_cast<double>(way.points.size());
    squares += off * off;
  }
  const double variance = line ? squares / static_cast<double>(way.points.size() - 2) : 0;
  constexpr double deviations = 1.96;
  const double latency_off = line ? deviations * std::sqrt(variance * bytes_bytes / determinant) : 0;
  const double slope_off = line ? deviations * std::sqrt(variance * one_one / determinant) : 0;
  way.latency_us = {latency, std::max(0.0, latency - latency_off), latency + latency_off};
  if (slope <= 0) return;
  const double rate = 1e-3 / slope;  // bytes a microsecond are MB/s
  constexpr double beyond_memory = 1e5;
  way.gbs = {std::min(rate, beyond_memory), 1e-3 / (slope + slope_off),
             slope > slope_off ? std::min(1e-3 / (slope - slope_off), beyond_memory) : beyond_memory};
}

}  // namespace

double regret(const Measurements& measured, std::size_t way, std::size_t size) {
  double most = 0;
  for (std::size_t placement = 0; placement < placements; ++placement) {
    const double least = least_at(measured, size, placement);
    if (!std::isfinite(least)) continue;
    const double us = measured.ways[way].us[size][placement].value;
    most = std::max(most, us > 0 ? us / least : infinite);
  }
  return most > 0 ? most : infinite;
}

TunedCall fit(const Measurements& measured, double hysteresis) {
  TunedCall call{.collective = measured.collective, .reach = measured.reach, .ranks = measured.ranks};
  const std::vector<std::size_t> taken = sequence(measured, hysteresis);
  const MeasuredWay& first = measured.ways[taken.front()];
  call.turns.push_back({.algorithm = first.algorithm, .protocol = first.protocol});
  for (std::size_t size = 1; size < taken.size(); ++size) {
    if (taken[size] != taken[size - 1]) {
      call.turns.push_back(turn_between(measured, size, taken[size - 1], taken[size]));
    }
  }
  for (std::size_t which = 0; which < measured.ways.size(); ++which) {
    const MeasuredWay& each = measured.ways[which];
    TunedWay way{.algorithm = each.algorithm, .protocol = each.protocol};
    for (std::size_t size = 0; size < measured.bytes.size(); ++size) {
      if (each.at(size)) way.points.push_back({measured.bytes[size], worse_us(measured, which, size)});
    }
    if (way.points.empty()) continue;
    fit_line(way);
    call.ways.push_back(std::move(way));
  }
  return call;
}

}  // namespace tutti::tune
