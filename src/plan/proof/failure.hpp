/// @file  Failure: the first thing found wrong in a symbolic run, thrown to its end.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutti::plan {

struct Failure {
  explicit Failure(std::string text, int event_number = -1) : what(std::move(text)), event(event_number) {}

  std::string what;
  int event;                         ///< the event whose history explains it; -1: none
  std::vector<std::string> lines{};  ///< an explanation of its own: who waits for whom
};

}  // namespace tutti::plan
