#include <fmt/format.h>

#include <iterator>
#include <set>
#include <tuple>

#include "tutti/base/units.hpp"
#include "tutti/run/simulated.hpp"

namespace tutti {

namespace {
constexpr int threads_of_a_phase = 16;
constexpr int threads_of_a_channel = 256;

int thread_of(const TracedStep& step) {
  return step.channel * threads_of_a_channel + step.phase * threads_of_a_phase + step.lane;
}

const char* what(const TracedStep& step) {
  if (step.sources > 1) return step.destinations > 0 ? "combine, send" : "combine";
  return step.destinations > 0 ? "send" : "take";
}
}  // namespace

std::string perfetto_trace(const SimulatedRun& run) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  auto out = std::back_inserter(text);
  std::set<std::int64_t> ranks;
  std::set<std::tuple<std::int64_t, int>> threads;
  for (const TracedStep& step : run.trace) {
    if (ranks.insert(step.rank).second) {
      fmt::format_to(out,
                     "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{0},\"args\":{{\"name\":\"rank {0}\"}}}},\n",
                     step.rank);
    }
    const int thread = thread_of(step);
    if (threads.insert({step.rank, thread}).second) {
      fmt::format_to(out,
                     "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}, lane {}, "
                     "channel {}\"}}}},\n",
                     step.rank, thread, run.phases[static_cast<std::size_t>(step.phase)], step.lane, step.channel);
    }
    fmt::format_to(out,
                   "{{\"ph\":\"X\",\"name\":\"{} {}\",\"pid\":{},\"tid\":{},\"ts\":{:.6f},\"dur\":{:.6f},"
                   "\"args\":{{\"step\":{},\"chunk\":{},\"bytes\":{}}}}},\n",
                   what(step), format_bytes(step.bytes), step.rank, thread, static_cast<double>(step.begin_ps) / 1e6,
                   static_cast<double>(step.end_ps - step.begin_ps) / 1e6, step.step, step.chunk, step.bytes);
  }
  if (!run.trace.empty()) text.resize(text.size() - 2);  // the last comma
  text += "\n]}\n";
  return text;
}

}  // namespace tutti
