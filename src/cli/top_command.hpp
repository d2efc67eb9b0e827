/// @file  `tutti top`: what a job's ranks do, live in a terminal.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tutti::cli {

struct TopArguments {
  std::vector<std::string>
      sources{};       ///< "9400", "9400-9407", "host:9400", "host:9400-9407", or a folder of .prom files
  double seconds = 2;  ///< between looks
  bool once = false;
};

/// A place where a page of metrics is.
struct TopSource {
  std::string name{};
  std::function<std::string()> read{};  ///< throws Error
};

/// Throws Error(invalid_argument) for what is neither a port nor a folder.
std::vector<TopSource> top_sources(const std::vector<std::string>& texts);

/// One look after the other, until the reader has gone; one with `once`, and where `out` is no terminal without a cursor
/// that moves. A source that cannot be read is named below the others; throws its error when none can.
void top_command(const TopArguments& arguments, std::ostream& out);

/// Adds `top` to the program.
void add_top_command(CLI::App& app);

}  // namespace tutti::cli
