/// @file  What the kernel says about this process: the network names it has and the launcher it descends
/// from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// A name for the nearest ancestor process called `command`: "pid-starttime", the same in all its descendants
/// on this host. Nothing when there is none.
std::optional<std::string> ancestor_named(std::string_view command);

/// A name for the socket behind a descriptor that a launcher left to its processes; nothing when it is not a
/// socket.
std::optional<std::string> socket_identity(int fd);

}  // namespace tutti
