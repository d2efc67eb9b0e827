#include "run/trace/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "run/trace/calls_together.hpp"
#include "tutti/base/reduce_op.hpp"
#include "tutti/base/units.hpp"

namespace tutti::trace {

namespace {

constexpr int most_lanes = 64;  // of a communicator, for calls that overlap

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Writes events; times in nanoseconds since `begin` become microseconds, exactly.
class Events {
 public:
  explicit Events(std::int64_t begin) : begin_(begin) {}

  void add(const std::string& event) {
    if (!text_.empty()) text_ += ",\n";
    text_ += event;
  }
  std::string microseconds(std::int64_t ns) const { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }
  std::string at(std::int64_t ns) const { return microseconds(ns - begin_); }
  std::string take() { return std::move(text_); }

 private:
  std::int64_t begin_;
  std::string text_;
};

/// Threads of one rank: each communicator has its own, and more where its calls overlap.
class Threads {
 public:
  Threads(Events& events, int process) : events_(events), process_(process) {}

  int thread_for(const CallRecord& call) {
    const auto [at, added] = communicators_.try_emplace(call.communicator);
    Lanes& lanes = at->second;
    if (added) lanes.number = static_cast<int>(communicators_.size());
    std::size_t lane = 0;
    while (lane < lanes.free_from.size() && lanes.free_from[lane] > call.entered && lane + 1 < most_lanes) ++lane;
    const int thread = lanes.number * most_lanes + static_cast<int>(lane);
    if (lane == lanes.free_from.size()) {
      lanes.free_from.push_back(0);
      const std::string name =
          fmt::format("{} ranks, communicator {:016x}{}", call.size, call.communicator, lane > 0 ? ", at once" : "");
      events_.add(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process_,
                              thread, quoted(name)));
      events_.add(fmt::format(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
                              process_, thread, thread));
    }
    lanes.free_from[lane] = std::max(lanes.free_from[lane], call.ended);
    return thread;
  }

 private:
  struct Lanes {
    int number = 0;
    std::vector<std::int64_t> free_from{};
  };
  Events& events_;
  int process_;
  std::map<std::uint64_t, Lanes> communicators_;
};

std::string arguments_of(const CallRecord& call) {
  std::string text = fmt::format(
      R"("bytes":{},"count":{},"type":"{}","engine":"{}","algorithm":"{}","protocol":"{}","turn":{},"number":{})",
      call.bytes(), call.count, name(call.type), name(call.engine), name(call.algorithm), name(call.protocol),
      call.turn, call.number);
  if (call.op != Op::none) text += fmt::format(R"(,"op":"{}")", name(call.op));
  if (call.root >= 0) text += fmt::format(R"(,"{}":{})", is_pairwise(call.collective) ? "peer" : "root", call.root);
  if (call.started > call.entered) text += fmt::format(R"(,"queued_ns":{})", call.started - call.entered);
  if (call.state == CallState::failed) text += fmt::format(R"(,"error":"{}")", name(call.code));
  return text;
}

std::string title_of(const CallRecord& call) {
  if (call.collective == Collective::barrier) return "barrier";
  return fmt::format("{} {}", name(call.collective), format_bytes(call.bytes()));
}

std::int64_t median(std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Timeline merge(const std::vector<RankTrace>& traces, const MergeOptions& options) {
  Timeline timeline;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const RankTrace& trace : traces) {
    timeline.lost += trace.lost;
    timeline.calls += trace.calls.size();
    timeline.error_ns = std::max(timeline.error_ns, trace.head.error_ns);
    timeline.ranks.push_back({.rank = trace.head.rank, .host = trace.head.host});
    for (const CallRecord& call : trace.calls) begin = std::min(begin, call.entered + trace.head.offset_ns);
  }
  Events events(begin);

  std::vector<std::vector<int>> threads(traces.size());  // of each call
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const RankTrace& trace = traces[i];
    const int process = trace.head.rank;
    events.add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", process,
                           quoted(fmt::format("rank {} on {}", trace.head.rank, trace.head.host))));
    events.add(
        fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})", process));
    std::vector<std::size_t> order(trace.calls.size());
    for (std::size_t call = 0; call < order.size(); ++call) order[call] = call;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return trace.calls[a].entered < trace.calls[b].entered; });
    Threads lanes(events, process);
    threads[i].resize(trace.calls.size());
    for (const std::size_t at : order) {
      const CallRecord& call = trace.calls[at];
      threads[i][at] = lanes.thread_for(call);
      events.add(
          fmt::format(R"({{"ph":"X","cat":"call","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                      title_of(call), process, threads[i][at], events.at(call.entered + trace.head.offset_ns),
                      events.microseconds(call.ended - call.entered), arguments_of(call)));
    }
  }

  std::vector<std::vector<std::int64_t>> lateness(traces.size());
  std::uint64_t arrows = 0;
  for (const Together& call : calls_together(traces)) {
    const Part& late = call.parts[call.late];
    const TraceHead& late_head = traces[late.trace].head;
    const CallRecord& record = traces[late.trace].calls[late.call];
    for (const Part& part : call.parts) ++timeline.ranks[part.trace].calls;
    std::int64_t unsure = 0;
    for (const std::size_t i : call.waiting) unsure = std::max(unsure, traces[call.parts[i].trace].head.error_ns);
    if (call.waiting.empty() || call.late_ns < std::max(options.late_ns, unsure + late_head.error_ns)) continue;
    ++timeline.ranks[late.trace].last;
    lateness[late.trace].push_back(call.late_ns);
    events.add(fmt::format(
        R"({{"ph":"i","s":"t","cat":"late","name":"late by {:.1f} us","pid":{},"tid":{},"ts":{},"args":{{"late_ns":{},"of":{}}}}})",
        static_cast<double>(call.late_ns) / 1e3, late_head.rank, threads[late.trace][late.call],
        events.at(late.entered), call.late_ns, call.parts.size()));
    const Part* longest = nullptr;
    for (const std::size_t i : call.waiting) {
      const Part& part = call.parts[i];
      const std::int64_t until = std::min(late.entered, part.ended);
      timeline.ranks[part.trace].waited_ns += until - part.entered;
      events.add(fmt::format(
          R"({{"ph":"X","cat":"wait","name":"waits for rank {}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"turn":{}}}}})",
          late_head.rank, traces[part.trace].head.rank, threads[part.trace][part.call], events.at(part.entered),
          events.microseconds(until - part.entered), record.turn));
      if (part.ended > late.entered && (longest == nullptr || part.entered < longest->entered)) longest = &part;
    }
    if (longest == nullptr) continue;
    ++arrows;
    const auto arrow = [&](const char* kind, const Part& part, std::int64_t at) {
      events.add(
          fmt::format(R"({{"ph":"{}","bp":"e","cat":"late","name":"awaited","id":{},"pid":{},"tid":{},"ts":{}}})", kind,
                      arrows, traces[part.trace].head.rank, threads[part.trace][part.call], events.at(at)));
    };
    arrow("s", late, late.entered);
    arrow("f", *longest, late.entered);
  }
  for (std::size_t i = 0; i < traces.size(); ++i) timeline.ranks[i].median_ns = median(lateness[i]);

  const TraceHead head = traces.empty() ? TraceHead{} : traces.front().head;
  timeline.json = fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"format\":\"tutti-timeline-1\",\"job\":{},\"began\":{},\"ranks\":{"
      "},"
      "\"calls\":{},\"lost\":{},\"clock_error_ns\":{}}},\"traceEvents\":[\n{}\n]}}\n",
      quoted(head.job), head.began, head.ranks, timeline.calls, timeline.lost, timeline.error_ns, events.take());
  return timeline;
}

}  // namespace tutti::trace
