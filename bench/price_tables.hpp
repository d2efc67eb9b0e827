/// @file  Published tables of nccl-tests, and what their names and descriptions say about the machines.
#pragma once

#include <string>
#include <vector>

#include "tutti/choose/price.hpp"

namespace tutti::bench {

struct TableRow {
  double bytes = 0;
  double us = 0;
};

struct PriceTable {
  std::string name{};
  Collective collective = Collective::all_reduce;
  choose::Platform platform{};
  choose::Wanted wanted{};       ///< what NCCL has, and of that what the run allowed
  double target = 0;             ///< percent; 0: none was set for such machines
  std::string described{};       ///< the machine in words, for people
  std::vector<TableRow> rows{};  ///< in place
};

/// Reads every .csv of a folder, and README.md beside them. Tables whose machines are not known are left out, and named
/// in `left_out` with the reason. Throws Error(invalid_argument) naming file and line for rows that are no rows.
std::vector<PriceTable> read_price_tables(const std::string& folder, std::vector<std::string>& left_out);

/// The machine of a table, by its file's name ("allreduce_h100_16r_ndr8_default") and the README's words on it.
/// Returns why not when there is no telling; empty when `table` is filled in.
std::string describe_table(const std::string& name, const std::string& words, PriceTable& table);

}  // namespace tutti::bench
