/// @file  docs/algorithms.md shows what the code has: which schedules there are, why others are not, what they cost.
#include <fstream>
#include <set>

#include "catch.hpp"
#include "plan/doc_tables.hpp"

namespace tutti::plan {
namespace {

/// The lines of the table that follows the line `heading`, without its own heading.
std::vector<std::string> table_after(const std::string& heading) {
  std::ifstream file(TUTTI_SOURCE_DIR "/docs/algorithms.md");
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(file, line) && line != heading) {
  }
  while (std::getline(file, line) && (line.empty() || line[0] != '|')) {
  }
  std::getline(file, line);  // |---|
  while (std::getline(file, line) && !line.empty() && line[0] == '|') lines.push_back(line);
  return lines;
}

TEST_CASE("docs/algorithms.md lists the schedules that there are") {
  CHECK(table_after("## Which pattern for which collective") == support_lines());
}

TEST_CASE("docs/algorithms.md gives the reason for each pair without a schedule") {
  CHECK(table_after("### Why not") == reason_lines());
}

TEST_CASE("docs/algorithms.md has the closed forms that proofs are compared with") {
  CHECK(table_after("## Closed forms") == cost_lines());
}

}  // namespace
}  // namespace tutti::plan
