/// @file  FlightFile: what a flight recorder's file says, as a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tutti/run/call_record.hpp"

namespace tutti {

/// Of one rank. Times are nanoseconds of its machine's monotonic clock.
struct FlightFile {
  struct Member {
    std::uint64_t id = 0;
    std::uint64_t parent = 0;  ///< 0: it is the first communicator
    int rank = 0;
    int size = 1;
    bool gone = false;  ///< dropped again

    bool operator==(const Member&) const = default;
  };

  std::string name{};        ///< of the file, for messages
  std::uint64_t family = 0;  ///< files with the same are of one job's ranks
  int rank = 0;
  int size = 1;
  long process = 0;
  std::uint64_t pid_namespace = 0;
  std::string host{};
  std::string host_id{};
  std::string job{};
  std::string library{};                ///< its version
  std::uint64_t began = 0;              ///< seconds since 1970
  std::int64_t seen = 0;                ///< when anything was noted last
  bool finished = false;                ///< its communicators went as they should
  std::vector<Member> communicators{};  ///< that this rank has been in
  std::vector<CallRecord> calls{};      ///< oldest first
};

/// Throws invalid_argument, with the name, for what is not whole or not one.
FlightFile read_flight_file(std::span<const std::byte> bytes, const std::string& name);

}  // namespace tutti
