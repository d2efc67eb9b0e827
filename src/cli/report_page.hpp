/// @file  The page: sections and where they come from, as one HTML file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "cli/report_section.hpp"

namespace tutti::report {

struct Provenance {
  std::string title{};    ///< what it is about: a host, a file
  std::string host{};     ///< where the page was made
  std::string date{};     ///< when, UTC
  std::string command{};  ///< what was typed
  std::vector<Origin> origins{};
};

/// No script, no request: a policy in the page forbids both. Ends with a line end.
std::string page(const std::vector<Section>& sections, const Provenance& provenance);

}  // namespace tutti::report
