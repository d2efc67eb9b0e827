/// @file  Measured tables: a text is refused by its place, or every row of it has a size and a time.
#include <cmath>

#include "cli/judge_result.hpp"
#include "harness.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<cli::MeasuredTable> table;
  fuzz::may_refuse([&] { table = cli::read_result(fuzz::text_of(data, size), "input all_reduce_perf"); });
  if (!table) return 0;
  fuzz::expect(!table->rows.empty(), "a table has rows");
  for (const cli::MeasuredRow& row : table->rows) {
    fuzz::expect(row.bytes >= 0 && row.us > 0 && std::isfinite(row.bytes) && std::isfinite(row.us), "a row is sound");
  }
  fuzz::expect(table->ranks >= 0 && table->hosts >= 0 && table->gpus_per_process > 0, "there are ranks or not said");
  return 0;
}
