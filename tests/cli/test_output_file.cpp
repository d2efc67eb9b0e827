/// @file  Files appear whole or not at all.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "cli/output_file.hpp"
#include "tutti/base/error.hpp"

using tutti::cli::OutputFile;
namespace fs = std::filesystem;

namespace {

/// A folder that goes with its object.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("tutti-output-" + std::to_string(::getpid()))) {
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {})); }
  fs::path path;
};

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a file has its name only when it is published") {
  const Folder folder;
  const fs::path path = folder.path / "out.json";
  std::ofstream(path) << "old";
  OutputFile file(path.string());
  file.write("new");
  CHECK(contents(path) == "old");
  file.publish();
  CHECK(contents(path) == "new");
  CHECK(folder.files() == 1);
}

TEST_CASE("a file that is not published leaves nothing") {
  const Folder folder;
  {
    OutputFile file((folder.path / "out.svg").string());
    CHECK(fs::path(file.temporary()).extension() == ".svg");
    file.write("half");
    const OutputFile moved(std::move(file));
    CHECK(folder.files() == 1);
  }
  CHECK(folder.files() == 0);
}

TEST_CASE("a place that cannot be written is refused at once, by name") {
  const Folder folder;
  CHECK_THROWS_AS(OutputFile(folder.path.string()), tutti::Error);
  CHECK_THROWS_AS(OutputFile((folder.path / "no" / "out").string()), tutti::Error);
  CHECK(folder.files() == 0);
}
