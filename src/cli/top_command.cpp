#include "cli/top_command.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "cli/http_get.hpp"
#include "cli/top_view.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* source_remedy =
    "name a port (9400), several (9400-9407), host:9400, or the folder that TUTTI_METRICS=file:FOLDER names";
constexpr int most_ports = 1024;

std::optional<int> port_named(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535) return {};
  return port;
}

std::string file_contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(Code::resource, fmt::format("cannot read {}", file.string()));
  return text.str();
}

/// All .prom files of a folder, as one page: ranks come and go. Those that nobody writes any more are left out while others are
/// written.
std::string pages_in(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (auto each = fs::directory_iterator(folder, error); !error && each != fs::directory_iterator();
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (name.starts_with("tutti-") && name.ends_with(".prom")) files.push_back(each->path());
  }
  if (files.empty()) {
    throw Error(Code::invalid_argument, fmt::format("there are no metrics in {}", folder), {.remedy = source_remedy});
  }
  const auto recent = fs::file_time_type::clock::now() - 30s;
  const auto ended = [&](const fs::path& file) {
    std::error_code gone;
    const auto written = fs::last_write_time(file, gone);
    return gone || written < recent;
  };
  if (!std::all_of(files.begin(), files.end(), ended)) std::erase_if(files, ended);
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files) text += file_contents(file) + "\n";
  return text;
}

/// Width and height of the terminal; nothing when it is none.
std::optional<winsize> terminal() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  if (size.ws_col == 0 || size.ws_row == 0) size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  return size;
}

Look look_at(const std::vector<TopSource>& sources, std::vector<std::string>& silent) {
  Look look;
  std::optional<Error> first;
  for (const TopSource& source : sources) {
    try {
      std::vector<Sample> samples = parse_samples(source.read(), source.name);
      std::move(samples.begin(), samples.end(), std::back_inserter(look.samples));
    } catch (const Error& error) {
      silent.push_back(source.name);
      if (!first) first = error;
    }
  }
  if (silent.size() == sources.size()) throw *first;
  look.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return look;
}

}  // namespace

std::vector<TopSource> top_sources(const std::vector<std::string>& texts) {
  std::vector<TopSource> sources;
  for (const std::string& text : texts) {
    if (fs::is_directory(text)) {
      sources.push_back({text, [text] { return pages_in(text); }});
      continue;
    }
    std::string_view place = text;
    if (place.starts_with("http://")) place.remove_prefix(7);
    if (place.ends_with("/metrics")) place.remove_suffix(8);
    const std::size_t colon = place.rfind(':');
    std::string host(colon == std::string_view::npos ? "127.0.0.1" : place.substr(0, colon));
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const std::string_view ports = colon == std::string_view::npos ? place : place.substr(colon + 1);
    const std::size_t dash = ports.find('-');
    const auto first = port_named(ports.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : port_named(ports.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= most_ports || host.empty()) {
      throw Error(Code::invalid_argument, fmt::format("\"{}\" is no place of metrics", text),
                  {.remedy = source_remedy});
    }
    for (int port = *first; port <= *last; ++port) {
      sources.push_back({fmt::format("{}:{}", host, port),
                         [host, port] { return http_get(host, static_cast<std::uint16_t>(port), "/metrics", 2s); }});
    }
  }
  return sources;
}

void top_command(const TopArguments& arguments, std::ostream& out) {
  const std::vector<TopSource> sources = top_sources(arguments.sources);
  std::optional<Look> before;
  for (bool first = true;; first = false) {
    std::vector<std::string> silent;
    Look now = look_at(sources, silent);
    const auto window = arguments.once ? std::nullopt : terminal();
    const bool room = window.has_value();
    const std::size_t width = room ? window->ws_col : 1000;
    const std::size_t height = room ? std::max<std::size_t>(window->ws_row, 4) - 3 : 0;
    std::string text =
        fmt::format("tutti top: {} of {} sources, {}", sources.size() - silent.size(), sources.size(),
                    before ? fmt::format("the last {:.1f} s", now.seconds - before->seconds) : "since the job began");
    std::vector<std::string> lines = {text.substr(0, width), ""};
    for (std::string& line : top_lines(before ? &*before : nullptr, now, width, height))
      lines.push_back(std::move(line));
    if (!silent.empty()) {
      lines.push_back(fmt::format("silent: {}", fmt::join(silent, ", ")).substr(0, width));
    }
    // In place: each line over the old one, and what is left of the old ones cleared.
    if (room && first) out << "\033[2J";
    if (room) out << "\033[H";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out << lines[i] << (room ? "\033[K" : "");
      if (!room || i + 1 < lines.size()) out << '\n';
    }
    if (room) out << "\033[J";
    out.flush();
    if (arguments.once || !out) return;
    if (!room) out << '\n';
    before = std::move(now);
    std::this_thread::sleep_for(std::chrono::duration<double>(arguments.seconds));
  }
}

void add_top_command(CLI::App& app) {
  const auto given = std::make_shared<TopArguments>();
  CLI::App* top = app.add_subcommand("top", "What a job's ranks do, live, from their metrics (TUTTI_METRICS)");
  top->add_option("SOURCE", given->sources, "9400, 9400-9407, host:9400, or a folder of files; several")->required();
  top->add_option("--seconds", given->seconds, "Between looks")->capture_default_str()->check(CLI::Range(0.1, 3600.0));
  top->add_flag("--once", given->once, "One look, of all since the job began");
  top->callback([given] { top_command(*given, std::cout); });
}

}  // namespace tutti::cli
