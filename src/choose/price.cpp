#include "tutti/choose/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "choose/price_parts.hpp"
#include "tutti/base/units.hpp"

namespace tutti::choose {

namespace {

constexpr std::array<std::string_view, pattern_count> pattern_names{
    "ring", "tree",      "one_shot",  "two_shot",       "halving_doubling",
    "pat",  "two_level", "multicast", "multicast_tree", "switch_reduction"};

constexpr std::array<GpuProtocol, protocol_count> all_protocols{GpuProtocol::ll, GpuProtocol::ll128,
                                                                GpuProtocol::simple};

template <class Value>
bool among(const std::vector<Value>& values, Value value) {
  return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

template <class Visit>
void each_wanted(const Wanted& wanted, Visit visit) {
  for (int i = 0; i < pattern_count; ++i) {
    const auto pattern = static_cast<Pattern>(i);
    if (!among(wanted.patterns, pattern)) continue;
    for (const GpuProtocol protocol : all_protocols) {
      if (among(wanted.protocols, protocol)) visit(pattern, protocol);
    }
  }
}

/// Spread of measured over predicted in the tables that docs/prices.md lists, and more where none tells.
double uncertainty_of(Pattern pattern, const Platform& at) {
  const bool measured = pattern == Pattern::ring || pattern == Pattern::tree || pattern == Pattern::multicast ||
                        pattern == Pattern::multicast_tree;
  double spread = at.inner != InnerLink::nvlink ? 0.2 : at.nodes == 1 ? 0.12 : 0.15;
  if (!measured) spread = 0.35;
  constexpr int most_measured_nodes = 8;
  if (at.nodes > most_measured_nodes) spread += 0.04 * std::log2(static_cast<double>(at.nodes) / most_measured_nodes);
  return spread;
}

std::string network(const Platform& at) {
  return fmt::format("{} rail{} of {}", at.rails, at.rails == 1 ? "" : "s", name(at.transport));
}

void add_term(Price& price, std::string what, double us) {
  if (us > 0) price.terms.push_back({std::move(what), us});
}

std::string bottleneck_of(const Parts& p, double bytes, const Platform& at) {
  const double latency = p.latency_us();
  const double inside = p.transfer_inside_us(bytes);
  const double between = p.transfer_between_us(bytes);
  if (p.total_us(bytes) <= p.launch_us) return "launching";
  if (inside >= between && inside > latency + p.start_us) return std::string(name(at.inner));
  if (between > inside && between > latency + p.start_us) return network(at);
  if (latency < p.start_us) return "kernel start";
  return p.hops_inside * p.hop_inside_us > p.hops_between * p.hop_between_us + p.fixed_us
             ? fmt::format("latency of {:.0f} hops over {}", p.hops_inside, name(at.inner))
         : p.hops_between * p.hop_between_us > p.fixed_us
             ? fmt::format("latency of {:.0f} hops over {}", p.hops_between, name(at.transport))
             : fmt::format("latency {}", p.fixed_for);
}

}  // namespace

std::string_view name(Pattern pattern) noexcept { return pattern_names[static_cast<std::size_t>(pattern)]; }

Price price(Collective collective, std::size_t bytes, Pattern pattern, GpuProtocol protocol, const Platform& at,
            const Coefficients& coefficients) {
  Price result;
  result.pattern = pattern;
  result.protocol = protocol;
  const Parts p = parts(collective, pattern, protocol, at, coefficients);
  if (p.excluded != nullptr) {
    result.us = std::numeric_limits<double>::infinity();
    result.excluded = p.excluded;
    return result;
  }
  const auto size = static_cast<double>(bytes);
  result.us = p.total_us(size);
  result.uncertainty = uncertainty_of(pattern, at);
  result.bottleneck = bottleneck_of(p, size, at);

  add_term(result, "kernel start and end", p.start_us);
  add_term(result, fmt::format("{:.0f} hops over {} at {:.2f} us", p.hops_inside, name(at.inner), p.hop_inside_us),
           p.hops_inside * p.hop_inside_us);
  add_term(result,
           fmt::format("{:.0f} hops over {} at {:.2f} us", p.hops_between, name(at.transport), p.hop_between_us),
           p.hops_between * p.hop_between_us);
  add_term(result, p.fixed_for, p.fixed_us);
  const double inside = p.transfer_inside_us(size);
  const double between = p.transfer_between_us(size);
  const bool near = inside >= between;
  add_term(
      result,
      fmt::format("{:.3g} × {} over {} at {:.1f} GB/s", near ? p.share_inside : p.share_between, format_bytes(bytes),
                  near ? std::string(name(at.inner)) : network(at), near ? p.inside_gbs : p.between_gbs),
      std::max(inside, between));
  add_term(result, "latency that transfers do not hide",
           p.overlap * std::sqrt(p.latency_us() * std::max(inside, between)));
  double sum = 0;
  for (const Term& term : result.terms) sum += term.us;
  add_term(result, fmt::format("launching for {} GPUs, one after the other", at.gpus_per_process), result.us - sum);
  return result;
}

std::vector<Price> prices(Collective collective, std::size_t bytes, const Platform& platform, const Wanted& wanted,
                          const Coefficients& coefficients) {
  std::vector<Price> all;
  each_wanted(wanted, [&](Pattern pattern, GpuProtocol protocol) {
    all.push_back(price(collective, bytes, pattern, protocol, platform, coefficients));
  });
  std::stable_sort(all.begin(), all.end(), [](const Price& a, const Price& b) { return a.us < b.us; });
  return all;
}

double least_us(Collective collective, std::size_t bytes, const Platform& platform, const Wanted& wanted,
                const Coefficients& coefficients) {
  double least = std::numeric_limits<double>::infinity();
  each_wanted(wanted, [&](Pattern pattern, GpuProtocol protocol) {
    const Parts p = parts(collective, pattern, protocol, platform, coefficients);
    if (p.excluded == nullptr) least = std::min(least, p.total_us(static_cast<double>(bytes)));
  });
  return least;
}

double bus_factor(Collective collective, int ranks) {
  const double n = ranks;
  switch (collective) {
    case Collective::all_reduce:
      return 2 * (n - 1) / n;
    case Collective::all_gather:
    case Collective::all_gather_v:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::all_to_all:
    case Collective::all_to_all_v:
    case Collective::gather:
    case Collective::scatter:
      return (n - 1) / n;
    case Collective::barrier:
      return 0;
    default:
      return 1;
  }
}

}  // namespace tutti::choose
