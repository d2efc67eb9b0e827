/// @file  One page over HTTP, within a time and a size.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tutti::cli {

/// The body that GET `path` answers with. Throws Error(network) naming host and port: nobody answers, not in time, more than
/// 16 MiB, or not with 200.
std::string http_get(const std::string& host, std::uint16_t port, const std::string& path,
                     std::chrono::milliseconds within);

}  // namespace tutti::cli
