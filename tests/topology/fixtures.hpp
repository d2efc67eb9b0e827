/// @file  The small files of our own in tests/topology/data, and folders that vanish.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/topology/read.hpp"

namespace tutti {

inline std::filesystem::path fixture_path(const std::string& name) {
  return std::filesystem::path(TUTTI_SOURCE_DIR) / "tests/topology/data" / name;
}

inline std::string fixture(const std::string& name) {
  std::ifstream in(fixture_path(name), std::ios::binary);
  if (!in) throw std::runtime_error("no fixture " + name);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The topology of a fixture, named after it.
inline Topology read_fixture(const std::string& name) { return from_text(fixture(name), name); }

/// Does one of its notes say this?
inline bool has_note(const Topology& topology, const std::string& part) {
  return std::any_of(topology.notes().begin(), topology.notes().end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

/// The names of these devices.
inline std::vector<std::string> names_of(const Topology& topology, const std::vector<int>& ids) {
  std::vector<std::string> names;
  for (const int id : ids) names.push_back(topology.device(id).name);
  return names;
}

/// What the reading of a text ends with; empty when it does not.
inline std::string complaint(const std::string& text, const std::string& name = "f") {
  try {
    from_text(text, name);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// A folder of its own, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tutti-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, and the folders above it.
  void write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tutti
