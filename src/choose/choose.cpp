#include "choose/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tutti/base/error.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti {

namespace {

/// Sizes at which one way overtakes another on the host engine, in bytes of what one rank contributes or receives.
/// docs/choice.md says which of them are measured and which are estimates.
struct Crossovers {
  std::size_t packet = 512;                 ///< up to here flag and payload in one line save more than alignment brings
  std::size_t window_in_process = 2 << 10;  ///< threads: the two barriers of a window cost less than copies
  std::size_t window_in_segments = 2 << 10;   ///< processes: the same, with the look-up of segments
  std::size_t one_shot_all_reduce = 8 << 10;  ///< beyond, reading every vector whole costs more than a second hop
  std::size_t chain_broadcast = 256 << 10;    ///< beyond, the root shares the copying with the others
  int many_ranks = 16;                        ///< from here on, a root serving everybody is slower than a tree
};
constexpr Crossovers crossovers;

plan::Schedule schedule_of(const Request& request, const Facts& facts, Algorithm algorithm, bool window) {
  return {.collective = request.collective,
          .algorithm = algorithm,
          .window = window,
          .size = facts.ranks,
          .root = request.root};
}

bool window_supported(const Request& request, const Facts& facts, Algorithm algorithm) {
  // A premultiplied sum scales each contribution by its own rank's factor, which a peer that reads it does
  // not know.
  return request.op.kind != Op::premultiplied_sum &&
         plan::unsupported(schedule_of(request, facts, algorithm, true)) == nullptr;
}

Algorithm cheapest_algorithm(const Request& request, const Facts& facts, std::size_t bytes, bool rank_order) {
  const bool many = facts.ranks >= crossovers.many_ranks;
  switch (request.collective) {
    case Collective::all_reduce:
      return bytes <= crossovers.one_shot_all_reduce ? Algorithm::one_shot : Algorithm::two_shot;
    case Collective::broadcast:
      if (facts.ranks > 2 && bytes >= crossovers.chain_broadcast) return Algorithm::two_shot;
      return many ? Algorithm::tree : Algorithm::one_shot;
    case Collective::reduce:
      if (bytes >= crossovers.chain_broadcast && facts.ranks > 2) return Algorithm::two_shot;
      return many && !rank_order ? Algorithm::tree : Algorithm::one_shot;
    case Collective::barrier:
      return many ? Algorithm::bruck : Algorithm::one_shot;
    default:
      return Algorithm::one_shot;
  }
}

/// Does the schedule have a window form, and is a window worth its two barriers?
bool window_pays(const Request& request, const Facts& facts, Algorithm algorithm, std::size_t bytes) {
  if (facts.ranks == 1 || !(facts.one_process || facts.has_segments)) return false;
  if (!window_supported(request, facts, algorithm)) return false;
  return bytes >= (facts.one_process ? crossovers.window_in_process : crossovers.window_in_segments);
}

/// What a tuning says of such calls; nothing where it says nothing, or something that cannot run this one. Ranks that
/// take turns on processors were not measured.
std::optional<Decision> tuned(const Request& request, const Facts& facts, bool window_allowed) {
  const Options& options = request.options;
  if (facts.tuning == nullptr || facts.oversubscribed) return std::nullopt;
  if (options.algorithm != Algorithm::automatic || options.protocol != Protocol::automatic) return std::nullopt;
  const bool segments = !facts.one_process && facts.has_segments && window_allowed;
  const Reach reach = facts.one_process ? Reach::threads : segments ? Reach::segments : Reach::processes;
  const TunedCall* call = tuned_call(*facts.tuning, request.collective, reach, facts.ranks);
  if (call == nullptr || call->turns.empty()) return std::nullopt;
  const std::size_t bytes = comparable_bytes(request);
  const auto after = std::find_if(call->turns.begin() + 1, call->turns.end(),
                                  [&](const TunedTurn& turn) { return turn.bytes > bytes; });
  const TunedTurn& turn = *(after - 1);
  const bool window = turn.protocol == Protocol::window;
  const plan::Schedule schedule = schedule_of(request, facts, turn.algorithm, window);
  if (plan::unsupported(schedule) != nullptr) return std::nullopt;
  if (window && !(window_allowed && window_supported(request, facts, turn.algorithm))) return std::nullopt;
  const bool rank_order = reduces(request.collective) && (options.deterministic || !request.op.commutative);
  if (rank_order && !plan::in_rank_order(schedule)) return std::nullopt;
  const std::size_t least = static_cast<std::size_t>(plan::blocks_per_step(schedule)) * request.element_size;
  const std::size_t capacity = turn.protocol == Protocol::packet ? facts.packet_bytes : facts.fifo_bytes;
  if (!window && least > capacity) return std::nullopt;
  return Decision{.backend = Backend::host, .algorithm = turn.algorithm, .protocol = turn.protocol};
}

void expect_host_engine(const Request& request) {
  switch (request.options.backend) {
    case Backend::automatic:
    case Backend::host:
      return;
    case Backend::mpi:
    case Backend::two_level:
      refuse(request, "all ranks are on one host, and a network serves ranks of several",
             "leave the backend automatic; TUTTI_HOST_ID lets ranks play several hosts on one machine");
    default:
      refuse(request, fmt::format("there is no {} engine for buffers in host memory", name(request.options.backend)),
             "leave the backend automatic");
  }
}

Decision decide(const Request& request, const Facts& facts, bool window_allowed) {
  const Options& options = request.options;
  if (options.backend != Backend::automatic) expect_host_engine(request);
  if (const auto measured = tuned(request, facts, window_allowed)) return *measured;
  const std::size_t bytes = comparable_bytes(request);
  const bool rank_order = reduces(request.collective) && (options.deterministic || !request.op.commutative);
  const bool named = options.algorithm != Algorithm::automatic;
  Decision decision;
  decision.algorithm = settled_algorithm(request, facts.ranks, cheapest_algorithm(request, facts, bytes, rank_order));

  // A collective that is one_shot by messages may be two_shot through a window.
  Algorithm through_window = decision.algorithm;
  if (!named && request.collective == Collective::all_reduce) through_window = Algorithm::two_shot;

  const std::size_t least =
      static_cast<std::size_t>(plan::blocks_per_step(schedule_of(request, facts, decision.algorithm, false))) *
      request.element_size;
  switch (options.protocol) {
    case Protocol::automatic:
      if (window_allowed && window_pays(request, facts, through_window, bytes)) {
        decision.algorithm = through_window;
        decision.protocol = Protocol::window;
      } else {
        decision.protocol =
            bytes <= crossovers.packet && least <= facts.packet_bytes ? Protocol::packet : Protocol::fifo;
      }
      break;
    case Protocol::window:
      if (facts.ranks > 1 && !(facts.one_process || facts.has_segments)) {
        refuse(request, "its buffers cannot be reached by other processes, so there is no window",
               "take them from comm.allocate, or leave the protocol automatic");
      }
      if (!window_supported(request, facts, through_window)) {
        refuse(request, fmt::format("{} has no window form for it", name(through_window)),
               "leave the protocol automatic");
      }
      decision.algorithm = through_window;
      decision.protocol = window_allowed && facts.ranks > 1 ? Protocol::window : Protocol::fifo;
      break;
    default:
      decision.protocol = options.protocol;
      break;
  }
  const std::size_t capacity = decision.protocol == Protocol::packet ? facts.packet_bytes : facts.fifo_bytes;
  if (decision.protocol != Protocol::window) expect_room(request, facts.ranks, decision.algorithm, capacity);
  return decision;
}

}  // namespace

void refuse(const Request& request, const std::string& why, const char* remedy) {
  throw Error(Code::unsupported, why, {.operation = describe(request), .remedy = remedy});
}

Decision decide(const Request& request, const Facts& facts) {
  if (request.memory == Memory::device) return decide_on_device(request, facts);
  return facts.hosts > 1 ? decide_between_hosts(request, facts) : decide(request, facts, true);
}

std::size_t comparable_bytes(const Request& request) {
  if (request.collective == Collective::all_to_all_v) return std::size_t{1} << 30;
  std::size_t count = request.count;
  if (!request.counts.empty()) count = *std::max_element(request.counts.begin(), request.counts.end());
  return count * request.element_size;
}

Decision decide_without_window(const Request& request, const Facts& facts) { return decide(request, facts, false); }

std::string describe(const Decision& decision) {
  if (decision.backend == Backend::mpi) return "mpi";
  if (decision.backend == Backend::nccl) return "nccl";
  if (decision.backend == Backend::two_level) return fmt::format("two_level/{}", name(decision.algorithm));
  return fmt::format("{}/{}/{}", name(decision.backend), name(decision.algorithm), name(decision.protocol));
}

}  // namespace tutti
