/// @file  The tables of a study as one picture: time by size, placement, failures, goodput.
#pragma once

#include <string>

#include "cli/study_table.hpp"

namespace tutti::cli {

struct StudyPictures {
  StudyTable scale;      ///< GPUs, then a time in milliseconds for each way, then two columns that are not drawn
  StudyTable placement;  ///< oversubscription, a time, then what is saved: least, median, most
  StudyTable goodput;    ///< GPUs, four columns, then per cent with restart and with shrinking at columns 5 and 6
  std::vector<std::int64_t> gpus{};
};

/// The gnuplot script, data included. Pure.
std::string plot_script(const StudyPictures& study, const std::string& file);

}  // namespace tutti::cli
