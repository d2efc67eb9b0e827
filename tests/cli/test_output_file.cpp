/// @file  Files appear whole or not at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
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

TEST_CASE("devices and pipes are written to and stay what they are, links stay links") {
  const Folder folder;
  const fs::path pipe = folder.path / "pipe.json";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  {
    OutputFile file(pipe.string());
    CHECK(fs::path(file.temporary()).extension() == ".json");
    file.write("text");
    file.publish();
    CHECK_FALSE(fs::exists(file.temporary()));
  }
  std::array<char, 8> read{};
  CHECK(::read(reader, read.data(), read.size()) == 4);
  ::close(reader);
  CHECK(fs::is_fifo(pipe));
  CHECK(folder.files() == 1);

  const fs::path target = folder.path / "target";
  const fs::path link = folder.path / "link";
  std::ofstream(target) << "old";
  fs::create_symlink(target, link);
  OutputFile file(link.string());
  file.write("new");
  file.publish();
  CHECK(fs::is_symlink(link));
  CHECK(contents(target) == "new");

  // A device that takes nothing; /dev/full itself is left alone should this ever fail.
  const fs::path full = folder.path / "full";
  fs::create_symlink("/dev/full", full);
  if (!fs::is_character_file(full)) return;
  OutputFile nowhere(full.string());
  nowhere.write("text");
  CHECK_THROWS_AS(nowhere.publish(), tutti::Error);
  CHECK(fs::is_character_file("/dev/full"));
}
