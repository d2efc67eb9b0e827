/// @file  FlightMemory: where a flight recorder keeps what it notes: a file that outlives the process, or memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tutti {

/// `Config::flight_recorder` that asks for memory, and no file.
inline constexpr const char* flight_memory_only = "memory";

/// The directory that is used when none is named: /tmp/tutti-UID.
std::string default_flight_directory();

/// Zeroed, until it goes. The file is this user's alone (0600, in a directory with 0700) and has all its blocks, so that a
/// disk that is full later does no harm.
class FlightMemory {
 public:
  /// A file `name` in the folder `job` of `directory`; both folders are made. Where that fails, `warn` is told why, in a
  /// line, and it is memory only. "memory": no file is wanted. Throws resource when there is no memory either.
  FlightMemory(std::size_t bytes, const std::string& directory, const std::string& job, const std::string& name,
               const std::function<void(const std::string&)>& warn);
  ~FlightMemory();
  FlightMemory(const FlightMemory&) = delete;
  FlightMemory& operator=(const FlightMemory&) = delete;

  std::byte* data() const noexcept { return data_; }
  /// Its path; empty: there is none.
  const std::string& file() const noexcept { return file_; }
  /// Removes the file, and its folder when it was the last one there. The memory stays.
  void remove_file() noexcept;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
  std::string folder_;
  std::string file_;
};

}  // namespace tutti
