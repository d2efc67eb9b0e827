/// @file  Slurm's short form of many host names: "n[01-03,07],login".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// The first host of a node list; nothing when it is not one.
std::optional<std::string> first_host(std::string_view nodelist);

}  // namespace tutti
