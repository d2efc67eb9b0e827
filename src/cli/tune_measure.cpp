#include "cli/tune_measure.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/bench_buffers.hpp"
#include "cli/bench_call.hpp"
#include "cli/bench_measure.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::tune {

namespace {

/// A way that takes so many times as long as the quickest, at so many sizes in a row and more each time, is given up.
constexpr double hopeless = 3;
constexpr int hopeless_sizes = 3;

/// One collective, on memory of one kind.
class Tuner {
 public:
  Tuner(Communicator& communicator, const bench::Buffers& buffers, Collective collective, Reach reach)
      : communicator_(communicator), buffers_(buffers) {
    measured_.collective = collective;
    measured_.reach = reach;
    measured_.ranks = communicator.size();
    for (int i = 0; i < algorithm_count; ++i) {
      const auto algorithm = static_cast<Algorithm>(i);
      if (algorithm == Algorithm::automatic || algorithm == Algorithm::direct || algorithm == Algorithm::mpi) continue;
      for (const Protocol protocol : {Protocol::packet, Protocol::fifo, Protocol::window}) {
        measured_.ways.push_back({.algorithm = algorithm, .protocol = protocol});
      }
    }
    behind_.assign(measured_.ways.size(), {});
  }

  void one_size(std::size_t size, double seconds) {
    const bench::Extent extent = bench::extent_of(measured_.collective, size, element, rank(), ranks(), 0);
    const std::size_t bytes = extent.count * element;
    if (bytes == 0 || (!measured_.bytes.empty() && measured_.bytes.back() >= bytes)) return;
    measured_.bytes.push_back(bytes);
    for (MeasuredWay& way : measured_.ways) way.us.emplace_back();
    std::vector<bench::Candidate> candidates;
    std::vector<Interval*> cells;
    candidates.reserve(measured_.ways.size() * placements);
    for (std::size_t i = 0; i < measured_.ways.size(); ++i) {
      if (behind_[i].sizes >= hopeless_sizes) continue;
      for (std::size_t placement = 0; placement < placements; ++placement) {
        if (placement == 1 && !bench::works_in_place(measured_.collective)) continue;
        if (!add(candidates, measured_.ways[i], extent, placement == 1)) continue;
        cells.push_back(&measured_.ways[i].us.back()[placement]);
      }
    }
    for (bench::Candidate& candidate : candidates) {  // now that they stay where they are
      candidate.run =
          bench::our_runner(communicator_, candidate.call, candidate_options_[&candidate - candidates.data()]);
    }
    candidate_options_.clear();
    const std::vector<bench::Timing> times =
        bench::measure(communicator_, candidates, {.seconds = seconds / static_cast<double>(candidates.size())});
    for (std::size_t i = 0; i < times.size(); ++i) *cells[i] = {times[i].median, times[i].low, times[i].high};
    give_up_the_slow();
  }

  /// Without the ways that never could.
  Measurements take() {
    std::erase_if(measured_.ways, [](const MeasuredWay& way) {
      for (std::size_t size = 0; size < way.us.size(); ++size) {
        if (way.at(size)) return false;
      }
      return true;
    });
    return std::move(measured_);
  }

 private:
  static constexpr std::size_t element = sizeof(float);

  int rank() const { return communicator_.rank(); }
  int ranks() const { return communicator_.size(); }

  bool add(std::vector<bench::Candidate>& candidates, const MeasuredWay& way, const bench::Extent& extent,
           bool in_place) {
    bench::Call call{.collective = measured_.collective,
                     .op = reduces(measured_.collective) ? Op::sum : Op::none,
                     .in_place = in_place,
                     .extent = extent};
    bench::place_buffers(call, buffers_, rank());
    const Options options{.algorithm = way.algorithm, .protocol = way.protocol};
    try {
      const Decision decision = communicator_.decide(bench::request_of(call, rank(), ranks(), options));
      if (decision.algorithm != way.algorithm || decision.protocol != way.protocol) return false;
    } catch (const Error& error) {
      if (error.code() != Code::unsupported) throw;
      return false;
    }
    candidates.push_back({.call = std::move(call)});
    candidate_options_.push_back(options);
    return true;
  }

  void give_up_the_slow() {
    const std::size_t size = measured_.bytes.size() - 1;
    for (std::size_t i = 0; i < measured_.ways.size(); ++i) {
      Behind& behind = behind_[i];
      if (!measured_.ways[i].at(size)) continue;
      const double by = regret(measured_, i, size);
      behind.sizes = by > hopeless && by > behind.by ? behind.sizes + 1 : 0;
      behind.by = by;
    }
  }

  struct Behind {
    int sizes = 0;  ///< in a row
    double by = 0;  ///< times the quickest, last
  };

  Communicator& communicator_;
  const bench::Buffers& buffers_;
  Measurements measured_;
  std::vector<Behind> behind_;
  std::vector<Options> candidate_options_;
};

/// Pages that were never written to are all one page, which is quicker than memory.
void fill(const bench::Buffers& buffers, std::size_t bytes) {
  for (std::byte* data : {buffers.in(), buffers.out()}) {
    std::uninitialized_fill_n(reinterpret_cast<float*>(data), bytes / sizeof(float), 1.0F);
  }
}

}  // namespace

std::vector<Measurements> measure_ways(Communicator& communicator, const Plan& plan,
                                       const std::function<void(const std::string&)>& progress) {
  const std::size_t largest = plan.sizes.back();
  const bool threads = communicator.world().one_process;
  std::optional<Communicator> for_shared;
  std::optional<bench::Buffers> shared;
  const bench::Buffers own(communicator, bench::BufferKind::own, largest);
  fill(own, largest);
  if (!threads) {  // apart: one that has allocated buffers looks, in every call, whether it was given them
    for_shared = communicator.split(0, communicator.rank());
    shared.emplace(*for_shared, bench::BufferKind::shared, largest);
    fill(*shared, largest);
  }
  const double all = static_cast<double>(plan.collectives.size() * plan.sizes.size()) * (threads ? 1 : 2);
  std::vector<Measurements> measured;
  const auto measure_one = [&](Communicator& by, const bench::Buffers& buffers, Collective collective, Reach reach) {
    Tuner tuner(by, buffers, collective, reach);
    for (const std::size_t size : plan.sizes) {
      if (progress)
        progress(fmt::format("{} among {} {}, {}", name(collective), by.size(), name(reach), format_bytes(size)));
      tuner.one_size(size, plan.seconds / all);
    }
    measured.push_back(tuner.take());
  };
  for (const Collective collective : plan.collectives) {
    measure_one(communicator, own, collective, threads ? Reach::threads : Reach::processes);
    if (for_shared) measure_one(*for_shared, *shared, collective, Reach::segments);
  }
  return measured;
}

}  // namespace tutti::tune
