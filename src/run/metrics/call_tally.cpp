#include "run/metrics/call_tally.hpp"

#include <algorithm>

#include "tutti/choose/price.hpp"
#include "tutti/plan/closed_form.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::metrics {

namespace {

constexpr std::array<std::uint64_t, size_classes - 1> class_bounds{0,
                                                                   256,
                                                                   std::uint64_t{4} << 10,
                                                                   std::uint64_t{64} << 10,
                                                                   std::uint64_t{1} << 20,
                                                                   std::uint64_t{16} << 20,
                                                                   std::uint64_t{256} << 20};
constexpr std::array<std::string_view, size_classes> class_names{"0",    "256B",  "4KiB",   "64KiB",
                                                                 "1MiB", "16MiB", "256MiB", "larger"};

/// Does Request::count count one rank's part?
bool counts_a_part(Collective collective) {
  return collective == Collective::all_gather || collective == Collective::reduce_scatter ||
         collective == Collective::all_to_all || collective == Collective::gather || collective == Collective::scatter;
}

}  // namespace

int size_class(std::uint64_t bytes) {
  return static_cast<int>(std::lower_bound(class_bounds.begin(), class_bounds.end(), bytes) - class_bounds.begin());
}

std::string_view size_class_name(int size_class) { return class_names.at(static_cast<std::size_t>(size_class)); }

std::uint64_t call_size(const CallRecord& record) {
  if (record.collective == Collective::barrier) return 0;
  return record.bytes() * (counts_a_part(record.collective) ? static_cast<std::uint64_t>(record.size) : 1);
}

std::uint64_t bytes_through_memory(const CallRecord& record) {
  if (record.engine != Backend::host || record.size < 2 || record.collective == Collective::barrier) return 0;
  if (is_pairwise(record.collective)) return record.collective == Collective::send ? record.bytes() : 0;
  const plan::Schedule schedule{.collective = record.collective,
                                .algorithm = record.algorithm,
                                .window = record.protocol == Protocol::window,
                                .size = record.size,
                                .root = std::max(record.root, 0)};
  if (plan::unsupported(schedule) != nullptr) return 0;
  const auto form = plan::closed_form(schedule);
  if (!form) return 0;
  // All blocks that all ranks send, of a vector in so many blocks, shared among the ranks.
  const double vector = static_cast<double>(call_size(record)) / plan::blocks(schedule);
  return static_cast<std::uint64_t>(vector * form->cost.all_blocks / record.size + 0.5);
}

CallTally::CallTally() {
  for (int code = 1; code <= static_cast<int>(Code::internal); ++code) failures_[static_cast<Code>(code)] = 0;
}

void CallTally::add(const CallRecord& record) {
  ++ways_[{record.collective, record.engine, record.algorithm}];
  if (record.state == CallState::failed) {
    ++failures_[record.code];
    return;
  }
  through_memory_ += bytes_through_memory(record);
  if (!record.end_is_noted() || record.started == 0) return;
  const std::uint64_t bytes = call_size(record);
  Cell& cell = cells_[{record.collective, size_class(bytes)}];
  const double seconds = static_cast<double>(record.ended - record.started) * 1e-9;
  cell.latency.add(seconds);
  const double factor = choose::bus_factor(record.collective, std::max(record.size, 1));
  if (bytes > 0 && factor > 0 && seconds > 0) cell.bandwidth.add(static_cast<double>(bytes) * factor / seconds);
}

void CallTally::add_skew(Collective collective, std::uint64_t bytes, double seconds) {
  cells_[{collective, size_class(bytes)}].skew.add(seconds);
}

}  // namespace tutti::metrics
