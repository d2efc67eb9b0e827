#include "tutti/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>

#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/choose/tuning.hpp"

namespace tutti {

namespace {

bool is_same_way(const Decision& a, const Decision& b) {
  return a.backend == b.backend && a.algorithm == b.algorithm && a.protocol == b.protocol;
}

/// The same call with another count. Its buffers are addresses that nobody follows: apart, and null where they were.
Request with_count(const Request& request, std::size_t count) {
  constexpr std::uintptr_t far_from_another = std::uintptr_t{1} << 44;
  Request other = request;
  other.count = count;
  other.in_count = request.in_count / request.count * count;
  other.out_count = request.out_count / request.count * count;
  if (request.in != nullptr) other.in = reinterpret_cast<const void*>(far_from_another);  // NOLINT
  if (request.out != nullptr) other.out = reinterpret_cast<void*>(2 * far_from_another);  // NOLINT
  return other;
}

/// How it would go; nothing where it is refused.
std::optional<Decision> decision_at(const Communicator& communicator, const Request& request, std::size_t count) {
  try {
    return communicator.decide(with_count(request, count));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Sizes at which the choice changes, found within each doubling one after another.
std::vector<ExplainedTurn> turns_of(const Communicator& communicator, const Request& request) {
  std::vector<ExplainedTurn> turns;
  if (request.count == 0 || !request.counts.empty() || request.collective == Collective::barrier) return turns;
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  std::size_t before = 1;
  for (std::size_t count = 1; count * request.element_size <= most_bytes; count *= 2) {
    const auto there = decision_at(communicator, request, count);
    if (there && turns.empty()) turns.push_back({count * request.element_size, *there});
    while (there && !is_same_way(*there, turns.back().decision)) {
      std::size_t low = before;
      std::size_t high = count;
      while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        const auto between = decision_at(communicator, request, middle);
        (between && is_same_way(*between, turns.back().decision) ? low : high) = middle;
      }
      turns.push_back({high * request.element_size, decision_at(communicator, request, high).value_or(*there)});
      before = high;  // there may be another change before this doubling ends
    }
    before = count;
  }
  return turns;
}

/// "from 1 KiB to below 8 KiB", for each stretch of sizes that goes this way; empty: none does.
std::string taken_where(const Decision& way, const std::vector<ExplainedTurn>& turns) {
  std::string where;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (!is_same_way(turns[i].decision, way)) continue;
    if (!where.empty()) where += ", and ";
    where += fmt::format("from {}", format_bytes(turns[i].bytes));
    where += i + 1 < turns.size() ? fmt::format(" to below {}", format_bytes(turns[i + 1].bytes)) : " on";
  }
  return where;
}

bool on_devices(Backend backend) { return backend == Backend::cuda || backend == Backend::nccl; }
/// Does it choose the algorithm itself?
bool chooses_itself(Backend backend) { return backend == Backend::mpi || backend == Backend::nccl; }

std::vector<Decision> ways_to_try(Backend chosen) {
  std::vector<Decision> ways;
  const bool between_hosts = chosen != Backend::host && !on_devices(chosen);
  for (int i = 0; i < algorithm_count; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    if (algorithm == Algorithm::automatic || algorithm == Algorithm::direct) continue;
    if (between_hosts) {
      ways.push_back({Backend::two_level, algorithm, Protocol::automatic});
    } else if (algorithm != Algorithm::mpi) {
      for (const Protocol protocol : {Protocol::packet, Protocol::fifo, Protocol::window}) {
        ways.push_back({on_devices(chosen) ? Backend::cuda : Backend::host, algorithm, protocol});
      }
    }
  }
  if (between_hosts) ways.push_back({Backend::mpi, Algorithm::mpi, Protocol::automatic});
  if (on_devices(chosen)) ways.push_back({Backend::nccl, Algorithm::automatic, Protocol::automatic});
  return ways;
}

std::string named_otherwise(const Options& options, const Decision& way) {
  if (options.backend != Backend::automatic && options.backend != way.backend) {
    return fmt::format("the call names the engine {}", name(options.backend));
  }
  if (options.algorithm != Algorithm::automatic && options.algorithm != Algorithm::direct &&
      options.algorithm != way.algorithm) {
    return fmt::format("the call names {}", name(options.algorithm));
  }
  if (options.protocol != Protocol::automatic && options.protocol != way.protocol) {
    return fmt::format("the call names the protocol {}", name(options.protocol));
  }
  return {};
}

/// What becomes of a call that names this way.
ExplainedWay tried(const Communicator& communicator, const Request& request, const Decision& way,
                   const Explanation& so_far) {
  ExplainedWay result{.decision = way};
  Request named = request;
  named.options.backend = way.backend;
  named.options.algorithm = chooses_itself(way.backend) ? Algorithm::automatic : way.algorithm;
  named.options.protocol = way.protocol;
  try {
    const Decision comes_to = communicator.decide(named);
    const bool protocol_counts = way.backend == Backend::host || way.backend == Backend::cuda;
    if (comes_to.backend != way.backend || (!chooses_itself(way.backend) && comes_to.algorithm != way.algorithm) ||
        (protocol_counts && comes_to.protocol != way.protocol)) {
      result.reason = fmt::format("it comes to {}", describe(comes_to));
      return result;
    }
    result.decision = comes_to;
  } catch (const Error& error) {
    result.reason = error.reason();
    return result;
  }
  result.possible = true;
  result.chosen = is_same_way(result.decision, so_far.chosen);
  if (result.chosen) return result;
  result.reason = named_otherwise(request.options, result.decision);
  if (!result.reason.empty()) return result;
  const std::string where = taken_where(result.decision, so_far.turns);
  result.reason = where.empty() ? "at no size the choice here; name it to have it" : "the choice " + where;
  return result;
}

/// Sets what a tuning has measured of these ways at this size.
void add_times(const Communicator& communicator, const Request& request, std::vector<ExplainedWay>& ways) {
  const Tuning* tuning = communicator.config().tuning.get();
  if (tuning == nullptr) return;
  for (const Reach reach : {Reach::threads, Reach::segments, Reach::processes}) {
    if ((reach == Reach::threads) != communicator.world().one_process) continue;
    const TunedCall* call = tuned_call(*tuning, request.collective, reach, communicator.size());
    if (call == nullptr) continue;
    for (ExplainedWay& way : ways) {
      if (way.us > 0 || !way.possible) continue;
      const std::size_t bytes = request.count * request.element_size;
      way.us = tuned_us(*call, way.decision.algorithm, way.decision.protocol, bytes).value_or(0);
    }
  }
}

}  // namespace

Explanation Explain::submit(const Request& request) const {
  Explanation told;
  told.call = describe(request);
  told.ranks = size();
  told.chosen = communicator_.decide(request);
  told.turns = turns_of(communicator_, request);
  for (const Decision& way : ways_to_try(told.chosen.backend)) {
    ExplainedWay result = tried(communicator_, request, way, told);
    const auto is_there = [&](const ExplainedWay& other) {
      return other.possible && result.possible && is_same_way(other.decision, result.decision);
    };
    if (std::none_of(told.ways.begin(), told.ways.end(), is_there)) told.ways.push_back(std::move(result));
  }
  add_times(communicator_, request, told.ways);
  std::stable_sort(told.ways.begin(), told.ways.end(), [](const ExplainedWay& a, const ExplainedWay& b) {
    return a.chosen != b.chosen ? a.chosen : a.possible && !b.possible;
  });
  return told;
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  out << fmt::format("{} among {} ranks: {}", explanation.call, explanation.ranks, describe(explanation.chosen));
  if (!explanation.ways.empty() && explanation.ways.front().chosen && explanation.ways.front().us > 0) {
    out << fmt::format(", {:.2f} us as tutti tune measured it", explanation.ways.front().us);
  }
  out << '\n';
  const bool times =
      std::any_of(explanation.ways.begin(), explanation.ways.end(), [](const ExplainedWay& way) { return way.us > 0; });
  const auto time_of = [&](const ExplainedWay& way) {
    if (!times) return std::string();
    return way.us > 0 ? fmt::format("{:>10.2f} us  ", way.us) : fmt::format("{:>15}", "");
  };
  const auto part = [&](const char* title, const auto& belongs) {
    bool first = true;
    for (const ExplainedWay& way : explanation.ways) {
      if (!belongs(way)) continue;
      if (first) out << '\n' << title << '\n';
      first = false;
      out << fmt::format("{:<30} {}{}\n", describe(way.decision), time_of(way), way.reason);
    }
  };
  part("possible, too", [](const ExplainedWay& way) { return way.possible && !way.chosen; });
  part("excluded", [](const ExplainedWay& way) { return !way.possible; });
  if (!explanation.turns.empty()) out << "\nthe choice, by bytes of one rank's data\n";
  for (const ExplainedTurn& turn : explanation.turns) {
    out << fmt::format("{:>12}  {}\n", format_bytes(turn.bytes), describe(turn.decision));
  }
  return out;
}

}  // namespace tutti
