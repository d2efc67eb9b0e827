/// @file  The command `plan`: its arguments.
#pragma once

namespace CLI {
class App;
}

namespace tutti::cli {

/// Adds `plan prove` and `plan channels` to the program; when it is called, its exit status goes to `status`.
void add_plan_command(CLI::App& app, int& status);

}  // namespace tutti::cli
