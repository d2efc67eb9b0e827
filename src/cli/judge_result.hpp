/// @file  Results that people have measured: the text of nccl-tests, its JSON, tables as CSV, and our own JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/types.hpp"

namespace tutti::cli {

struct MeasuredRow {
  double bytes = 0;  ///< as nccl-tests counts a size
  double us = 0;
};

/// One table of a collective. Of rows in place and out of place, those in place, where there are any.
struct MeasuredTable {
  Collective collective = Collective::all_reduce;
  std::string form{};   ///< "nccl-tests", "nccl-tests JSON", "CSV", "tutti bench"
  int ranks = 0;        ///< 0: not said
  int hosts = 0;        ///< that ranks ran on; 0: not said
  std::string model{};  ///< of the GPUs, as the driver calls them; may be empty
  int gpus_per_process = 1;
  std::vector<MeasuredRow> rows{};
};

/// `name` stands for the file in errors, and is looked at for a collective's name when the text has none. Throws
/// Error(invalid_argument) naming line or place for numbers that are missing, negative or absurd, and when there is no row.
MeasuredTable read_result(std::string_view text, const std::string& name);

}  // namespace tutti::cli
