/// @file  Environment: where variables are looked up, as a value, so that readers of variables are testable
/// functions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tutti {

/// The value of a variable; nothing when it is not set. An empty value is a value.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The variables of this process, read at each lookup. Not to be used while another thread calls setenv.
Environment process_environment();

/// The names of all variables of this process.
std::vector<std::string> process_variable_names();

/// The variables of a map, copied.
Environment environment_of(std::map<std::string, std::string> variables);

}  // namespace tutti
