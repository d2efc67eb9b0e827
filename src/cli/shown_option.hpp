/// @file  Options whose help shows what they are when nobody gives them.
#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

/// option(name, value, what) on that command, which must outlive it.
inline auto shown_options(CLI::App& command) {
  return [&command](const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->capture_default_str();
  };
}

}  // namespace tutti::cli
