/// @file  A table of a study: rows for people, and for programs as they are.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace tutti::cli {

struct StudyTable {
  std::string title;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::string> remarks{};

  void print(std::ostream& out) const;
  nlohmann::ordered_json json() const;
};

}  // namespace tutti::cli
