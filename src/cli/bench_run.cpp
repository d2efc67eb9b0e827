#include "cli/bench_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/bench_buffers.hpp"
#include "cli/bench_check.hpp"
#include "cli/bench_device.hpp"
#include "cli/bench_facts.hpp"
#include "cli/bench_measure.hpp"
#include "cli/bench_probe.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/choose/price.hpp"
#include "tutti/collectives.hpp"
#include "tutti/plan/schedule.hpp"
#include "tutti/topology/host_facts.hpp"

namespace tutti::bench {

namespace {

[[noreturn]] void refuse(Code code, const std::string& what, const std::string& remedy, Where where = Where::here()) {
  throw Refusal(code, what, {.operation = "bench", .remedy = remedy}, where);
}

/// One way to do a call of one size.
struct Way {
  bool is_peer = false;
  Algorithm algorithm = Algorithm::automatic;
  BufferKind buffers = BufferKind::own;
  bool in_place = false;
  Decision decision{};
};

class Sweep {
  using Clock = std::chrono::steady_clock;

 public:
  Sweep(Communicator& communicator, const BenchOptions& options, Peer* peer, const Listener& listener)
      : communicator_(communicator),
        options_(options),
        peer_(peer),
        listener_(listener),
        place_{communicator.rank(), communicator.size()} {}

  Report run() {
    check_against_communicator();
    make_buffers();
    report_.facts = facts_of(communicator_, options_, peer_ != nullptr ? peer_->version() : "");
    Probe probe(communicator_);
    probe_ = probe.measure();
    if (listener_.begins) listener_.begins(report_.facts, probe_);
    const std::size_t all = all_sizes();
    std::size_t done = 0;
    begun_ = Clock::now();
    if (options_.emulated > 0) note(fmt::format("emulated: no timing ({} GPUs)", options_.emulated));
    for (const DataType type : options_.types) {
      for (const Op op : options_.operations) {
        for (const std::size_t bytes : options_.sizes) {
          sizes_left_ = all - done;
          if (listener_.progress) listener_.progress(done, all, bytes);
          ++done;
          one_size(type, op, bytes, probe);
        }
      }
    }
    if (report_.rows.empty()) {
      refuse(Code::unsupported, report_.notes.empty() ? "nothing to measure" : report_.notes.front(),
             "choose another algorithm, type or size");
    }
    return std::move(report_);
  }

 private:
  void check_against_communicator() {
    if (has_root(options_.collective) && (options_.root < 0 || options_.root >= place_.ranks)) {
      refuse(Code::invalid_argument, fmt::format("--root {} is not one of {} ranks", options_.root, place_.ranks),
             fmt::format("use 0 to {}", place_.ranks - 1));
    }
    if (options_.collective == Collective::send && place_.ranks < 2) {
      refuse(Code::invalid_argument, "sendrecv with one rank", "it needs at least two");
    }
    // Memory, host by host: a machine that swaps, or kills, measures nothing.
    const std::vector<std::string> hosts = gather_texts(communicator_, communicator_.world().host_id);
    const auto here = std::count(hosts.begin(), hosts.end(), hosts[static_cast<std::size_t>(place_.rank)]);
    const int pairs = (uses_own_buffers() ? 1 : 0) + (shares_buffers() ? 1 : 0);
    const double needed = 2.0 * pairs * static_cast<double>(largest()) * static_cast<double>(here);
    const auto there = static_cast<double>(this_host_facts().memory_bytes);
    std::vector<double> share{there > 0 ? needed / there : 0};
    largest_of_ranks(communicator_, share);
    if (share[0] > 0.8) {
      refuse(Code::resource,
             fmt::format("buffers of {} for every rank need {:.0f} % of a host's memory", format_bytes(largest()),
                         100 * share[0]),
             "use a smaller --max or fewer ranks");
    }
  }

  std::size_t largest() const { return *std::max_element(options_.sizes.begin(), options_.sizes.end()); }
  bool shares_buffers() const {
    return std::find(options_.buffers.begin(), options_.buffers.end(), BufferKind::shared) != options_.buffers.end();
  }
  bool uses_own_buffers() const {
    return peer_ != nullptr ||
           std::find(options_.buffers.begin(), options_.buffers.end(), BufferKind::own) != options_.buffers.end();
  }

  bool on_device() const { return options_.engine == Backend::nccl || options_.engine == Backend::cuda; }

  /// The ranks of a host take its devices in turn, as communicators do. Throws where there is none, on all ranks alike.
  int own_device(const std::vector<std::string>& hosts) {
    Call call{.collective = Collective::broadcast, .memory = Memory::device};
    call.extent.count = call.extent.in = call.extent.out = 1;
    std::byte nowhere{};  // a decision does not look
    call.in = call.out = &nowhere;
    communicator_.decide(request_of(call, place_.rank, place_.ranks, {.backend = options_.engine}));
    const auto end = hosts.begin() + place_.rank;
    return static_cast<int>(std::count(hosts.begin(), end, *end)) % device_count();
  }

  void make_buffers() {
    if (on_device()) {
      const std::vector<std::string> hosts = gather_texts(communicator_, communicator_.world().host_id);
      buffers_.emplace(BufferKind::device, Buffers(own_device(hosts), largest()));
    }
    // With a communicator of their own: one that has allocated buffers looks, in every call, whether it was given them.
    if (shares_buffers()) {
      for_shared_ = communicator_.split(0, place_.rank);
      buffers_.emplace(BufferKind::shared, Buffers(*for_shared_, BufferKind::shared, largest()));
    }
    if (uses_own_buffers()) {
      buffers_.emplace(BufferKind::own, Buffers(communicator_, BufferKind::own, largest()));
    }
  }

  Communicator& communicator_for(BufferKind kind) { return kind == BufferKind::shared ? *for_shared_ : communicator_; }

  Options options_of(const Way& way) const {
    return {.algorithm = way.algorithm,
            .protocol = options_.protocol,
            .backend = options_.engine,
            .deterministic = options_.deterministic};
  }

  void note(const std::string& text) {
    if (!noted_.insert(text).second) return;
    report_.notes.push_back(text);
    if (listener_.note) listener_.note(text);
  }

  Call call_of(DataType type, Op op, std::size_t bytes, const Way& way) {
    Call call;
    call.collective = options_.collective;
    call.type = type;
    call.op = op;
    call.root = has_root(options_.collective) ? options_.root : 0;
    call.in_place = way.in_place;
    if (way.buffers == BufferKind::device) call.memory = Memory::device;
    call.extent = extent_of(call.collective, bytes, size_of(type), place_.rank, place_.ranks, call.root);
    place_buffers(call, buffers_.at(way.buffers), place_.rank);
    return call;
  }

  /// Why there is no such schedule; null when there is one, or when the algorithm is a question.
  const char* no_pattern(Algorithm algorithm) const {
    if (algorithm == Algorithm::automatic || algorithm == Algorithm::direct) return nullptr;
    const int root = has_root(options_.collective) ? options_.root : 0;
    const int named = options_.collective == Collective::send ? (place_.rank + 1) % place_.ranks : root;
    return plan::unsupported(
        {.collective = options_.collective, .algorithm = algorithm, .size = place_.ranks, .root = named});
  }

  /// The ways that can do this; the others are noted, with the reason.
  std::vector<Way> ways_of(DataType type, Op op, std::size_t bytes) {
    std::vector<Way> ways;
    for (const Algorithm algorithm : options_.algorithms) {
      if (const char* why = no_pattern(algorithm)) {
        note(fmt::format("{} is left out: {}", name(algorithm), why));
        continue;
      }
      for (const BufferKind buffers : options_.buffers) {
        for (const bool in_place : options_.in_place) {
          Way way{.algorithm = algorithm, .buffers = buffers, .in_place = in_place};
          const Call call = call_of(type, op, bytes, way);
          try {
            way.decision =
                communicator_for(buffers).decide(request_of(call, place_.rank, place_.ranks, options_of(way)));
            ways.push_back(way);
          } catch (const Error& error) {
            if (error.code() != Code::unsupported) throw;
            note(fmt::format("{} is left out: {}", name(algorithm), error.reason()));
          }
        }
      }
    }
    for (const bool in_place : options_.in_place) {
      if (peer_ == nullptr) break;
      const Way way{.is_peer = true, .buffers = BufferKind::own, .in_place = in_place};
      const std::string why = peer_->unsupported(call_of(type, op, bytes, way));
      if (why.empty()) ways.push_back(way);
      if (!why.empty()) note(fmt::format("{} is left out: {}", peer_->name(), why));
    }
    return ways;
  }

  void one_size(DataType type, Op op, std::size_t bytes, Probe& probe) {
    if (op != Op::none) {
      if (const char* why = unsupported(type, op)) {
        return note(fmt::format("{} of {} is left out: {}", name(op), name(type), why));
      }
    }
    const Extent extent =
        extent_of(options_.collective, bytes, size_of(type), place_.rank, place_.ranks, options_.root);
    if (extent.count == 0 && options_.collective != Collective::barrier) {
      return note(fmt::format("{} is left out: less than one {} for each of {} ranks", format_bytes(bytes), name(type),
                              place_.ranks));
    }
    const std::vector<Way> ways = ways_of(type, op, bytes);
    if (ways.empty()) return;
    std::vector<Candidate> candidates(ways.size());
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Call& call = candidates[i].call = call_of(type, op, bytes, ways[i]);
      candidates[i].run = ways[i].is_peer ? peer_->runner(call)
                                          : our_runner(communicator_for(ways[i].buffers), call, options_of(ways[i]));
    }

    std::vector<double> wrong(candidates.size());
    check(candidates, wrong);
    const std::vector<Timing> timings = measure(communicator_, candidates, method(ways.size()));
    if (options_.check) {
      if (!options_.bounded || seconds_left() > 0) check(candidates, wrong);
      all_reduce(communicator_, on_host(wrong), sum).wait();
    }
    const ProbeTime before = std::exchange(probe_, probe.measure());
    std::vector<Row> rows;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Row row = row_of(ways[i], candidates[i].call, timings[i]);
      if (options_.check) row.wrong = static_cast<std::size_t>(wrong[i]);
      row.probe_before = before;
      row.probe_after = probe_;
      rows.push_back(std::move(row));
    }
    compare(ways, rows);
    if (listener_.measured) listener_.measured(rows);
    report_.rows.insert(report_.rows.end(), rows.begin(), rows.end());
  }

  /// Each candidate once, with input of its own. Without checks this still touches the buffers.
  void check(const std::vector<Candidate>& candidates, std::vector<double>& wrong) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (options_.collective == Collective::barrier) continue;
      prepare(candidates[i].call, place_, ++seed_);
      if (!options_.check) continue;
      candidates[i].run();
      wrong[i] += static_cast<double>(wrong_elements(candidates[i].call, place_, seed_));
    }
  }

  std::size_t all_sizes() const { return options_.types.size() * options_.operations.size() * options_.sizes.size(); }

  /// The ranks' clocks differ a little, so they agree.
  double seconds_left() {
    std::vector<double> left{options_.seconds - std::chrono::duration<double>(Clock::now() - begun_).count()};
    all_reduce(communicator_, on_host(left), minimum).wait();
    return left[0];
  }

  /// With a fair share of the time that is left.
  Method method(std::size_t ways) {
    const double share = std::max(seconds_left(), 0.0) / static_cast<double>(sizes_left_ * ways);
    return {.seconds =
                options_.bounded ? std::max(share, 1e-3) : options_.seconds / static_cast<double>(all_sizes() * ways),
            .bounded = options_.bounded,
            .iterations = options_.iterations,
            .warm_up = options_.warm_up,
            .dirty = options_.dirty};
  }

  Row row_of(const Way& way, const Call& call, const Timing& timing) const {
    Row row;
    row.collective = bench_name(call.collective);
    row.engine = way.is_peer ? peer_->name() : std::string(name(way.decision.backend));
    row.algorithm = way.is_peer ? peer_->name() : std::string(name(way.algorithm));
    if (!way.is_peer) {
      row.protocol = name(way.decision.protocol);
      row.decision = way.decision.backend == Backend::nccl
                         ? "nccl"
                         : fmt::format("{}/{}", name(way.decision.algorithm), row.protocol);
    }
    row.buffers = name(way.buffers);
    row.ranks = place_.ranks;
    row.type = call.collective == Collective::barrier ? "none" : std::string(name(call.type));
    row.operation = name(call.op);
    row.root = has_root(call.collective) ? call.root : -1;
    row.size_bytes = call.extent.size;
    row.count = call.extent.count;
    row.in_place = way.in_place;
    row.time_us = timing.median;
    row.p25_us = timing.p25;
    row.p75_us = timing.p75;
    row.p99_us = timing.p99;
    row.iterations = timing.iterations;
    row.cut_short = timing.cut_short;
    row.algbw_GBs = static_cast<double>(row.size_bytes) / timing.median / 1e3;
    row.busbw_GBs = row.algbw_GBs * choose::bus_factor(call.collective, place_.ranks);
    return row;
  }

  /// With the peer's row in the same place, else with its only one.
  void compare(const std::vector<Way>& ways, std::vector<Row>& rows) const {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const Row* theirs = nullptr;
      for (std::size_t p = 0; p < ways.size(); ++p) {
        if (ways[p].is_peer && (theirs == nullptr || ways[p].in_place == ways[i].in_place)) theirs = &rows[p];
      }
      if (ways[i].is_peer || theirs == nullptr) continue;
      rows[i].peer = peer_->name();
      rows[i].ratio = theirs->time_us / rows[i].time_us;
    }
  }

  Communicator& communicator_;
  const BenchOptions& options_;
  Peer* peer_;
  const Listener& listener_;
  Place place_;
  Report report_{};
  std::set<std::string> noted_;
  std::optional<Communicator> for_shared_;
  std::map<BufferKind, Buffers> buffers_;
  ProbeTime probe_;
  std::uint64_t seed_ = 0;
  Clock::time_point begun_ = Clock::now();
  std::size_t sizes_left_ = 1;  ///< this one among them
};

}  // namespace

Report run(Communicator& communicator, const BenchOptions& options, Peer* peer, const Listener& listener) {
  return Sweep(communicator, options, peer, listener).run();
}

}  // namespace tutti::bench
