#include "call_watch.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <optional>

#include "clock_offset.hpp"
#include "communicator_state.hpp"
#include "run/metrics/exporter.hpp"
#include "run/trace/nvtx_ranges.hpp"
#include "run/trace/trace_writer.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

class Watchers final : public CallWatch, public CallObserver {
 public:
  explicit Watchers(CommunicatorState& state) : recorder_(state.family.recorder), loop_(state.family.loop) {}
  ~Watchers() override {
    const auto lock = loop_->guard();
    recorder_->observe(nullptr);
  }

  void entered(const CallRecord& record) noexcept override {
    if (ranges) ranges->entered(record);
  }
  void ended(const CallRecord& record) noexcept override {
    if (ranges) ranges->ended(record);
    if (writer) writer->ended(record);
  }
  void begin() {
    if (!ranges && !writer) return;
    const auto lock = loop_->guard();
    recorder_->observe(this);
  }

  void missed(std::uint64_t number) noexcept override {
    if (writer) writer->missed(number);
  }

 private:
  std::shared_ptr<FlightRecorder> recorder_;  // goes after those that read it
  std::shared_ptr<ProgressLoop> loop_;

 public:
  std::optional<trace::NvtxRanges> ranges;
  std::unique_ptr<trace::TraceWriter, InOwnProcess> writer;
  std::optional<metrics::Watching> watching;
};

/// Files of the other ranks of this host, which lie beside this one's. Empty where there are none.
std::map<int, std::string> neighbour_files(const CommunicatorState& state) {
  std::map<int, std::string> files;
  const std::filesystem::path own = state.family.recorder->file();
  const Placement& placement = state.family.roll.placement;
  if (own.empty()) return files;
  for (const int rank : placement.on(placement.host(state.world.rank))) {
    if (rank != state.world.rank) files[rank] = own.parent_path() / flight_file_name(rank, state.family.id);
  }
  return files;
}

metrics::Watched watched(const CommunicatorState& state) {
  const Placement& placement = state.family.roll.placement;
  const int rank = state.world.rank;
  metrics::Watched watched{
      .facts = {.rank = rank, .ranks = state.world.size, .host = state.world.host, .job = state.world.job},
      .recorder = state.family.recorder.get(),
      .first_of_host = placement.local_rank(rank) == 0};
  if (watched.first_of_host) watched.neighbours = neighbour_files(state);
  return watched;
}

trace::TraceHead trace_head(const CommunicatorState& state, const ClockOffset& clock) {
  return {.rank = state.world.rank,
          .ranks = state.world.size,
          .host = state.world.host,
          .job = state.world.job,
          .family = state.family.id,
          .process = ::getpid(),
          .began = static_cast<std::int64_t>(std::time(nullptr)),
          .offset_ns = clock.offset,
          .error_ns = clock.error};
}

}  // namespace

std::shared_ptr<CallWatch> watch_calls(Communicator& comm, CommunicatorState& state) {
  const Config& config = state.config;
  const bool nvtx = trace::NvtxRanges::tool_attached();
  if (config.metrics.empty() && config.trace.empty() && !nvtx) return nullptr;
  auto watchers = std::make_shared<Watchers>(state);
  const Placement& placement = state.family.roll.placement;
  if (!config.trace.empty()) {
    const ClockOffset clock = offset_to_rank_0(comm, placement);
    watchers->writer = {std::make_unique<trace::TraceWriter>(config.trace, trace_head(state, clock)).release(),
                        InOwnProcess()};
  }
  if (!config.metrics.empty()) {
    const int local_rank = state.family.roll.one_process ? 0 : placement.local_rank(state.world.rank);
    watchers->watching.emplace(metrics::Exporter::shared(config.metrics, local_rank), watched(state));
  }
  if (nvtx) watchers->ranges.emplace();
  watchers->begin();
  return watchers;
}

}  // namespace tutti
