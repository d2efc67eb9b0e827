#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

#include "cli/autopsy_command.hpp"
#include "run/flight_layout.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti::cli {

namespace {

namespace fs = std::filesystem;

/// Names that recorders give their files: "rank-3-0123456789abcdef".
bool is_recorder_file(const fs::directory_entry& entry) {
  return entry.is_regular_file() && entry.path().filename().string().starts_with("rank-");
}

std::vector<std::string> files_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  const auto take = [&](const fs::directory_entry& entry) {
    if (is_recorder_file(entry)) files.push_back(entry.path().string());
  };
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    take(*at);
    std::error_code inner;
    if (!at->is_directory(inner) || at->is_symlink(inner)) continue;
    for (fs::directory_iterator in(at->path(), inner), stop; !inner && in != stop; in.increment(inner)) take(*in);
  }
  if (error) {
    throw Error(Code::invalid_argument, fmt::format("{}: {}", folder, error.message()),
                {.operation = "tutti autopsy", .remedy = "name the folder of a job (TUTTI_FLIGHT_RECORDER)"});
  }
  std::sort(files.begin(), files.end());
  return files;
}

FlightFile read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes(flight::total_bytes + 1);  // one more: a longer file is told by that
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (in.gcount() == 0 && !in.eof()) {
    throw Error(Code::invalid_argument, fmt::format("{} cannot be read", path),
                {.operation = "tutti autopsy", .remedy = "files are readable by the job's user only"});
  }
  return read_flight_file(std::as_bytes(std::span(bytes.data(), static_cast<std::size_t>(in.gcount()))), path);
}

/// The state letter of a process, as /proc says it; 0: there is none.
char state_of(long pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t end = text.rfind(')');
  return end == std::string::npos || end + 2 >= text.size() ? '\0' : text[end + 2];
}

/// Of a process whose number means the same here.
Process process_of(const FlightFile& file) {
  struct stat status {};
  if (file.host_id != this_host_id() || stat("/proc/self/ns/pid", &status) != 0 ||
      status.st_ino != file.pid_namespace || file.process <= 0) {
    return Process::unknown;
  }
  switch (state_of(file.process)) {
    case '\0':
    case 'Z':
    case 'X':
      return Process::gone;
    case 'T':
    case 't':
      return Process::stopped;
    default:
      return Process::running;
  }
}

}  // namespace

std::vector<Remains> read_remains(const std::string& folder, std::size_t& others) {
  std::map<std::uint64_t, std::vector<FlightFile>> jobs;
  const std::vector<std::string> names = files_in(folder);
  for (const std::string& name : names) {
    FlightFile file = read_file(name);
    jobs[file.family].push_back(std::move(file));
  }
  if (jobs.empty()) {
    throw Error(Code::invalid_argument, fmt::format("{} has no files of a flight recorder", folder),
                {.operation = "tutti autopsy",
                 .remedy = "name the folder of a job (TUTTI_FLIGHT_RECORDER); jobs that end well leave none in the "
                           "default one"});
  }
  const auto began = [](const std::vector<FlightFile>& files) {
    std::uint64_t last = 0;
    std::int64_t seen = 0;
    for (const FlightFile& file : files) {
      last = std::max(last, file.began);
      seen = std::max(seen, file.seen);
    }
    return std::tuple(last, seen);
  };
  const auto newest = std::max_element(jobs.begin(), jobs.end(),
                                       [&](const auto& a, const auto& b) { return began(a.second) < began(b.second); });
  std::map<int, Remains> by_rank;  // a rank is there twice only where somebody copied files
  for (FlightFile& file : newest->second) {
    const Process process = process_of(file);
    by_rank.try_emplace(file.rank, Remains{std::move(file), process});
  }
  std::vector<Remains> remains;
  for (auto& [rank, each] : by_rank) remains.push_back(std::move(each));
  others = names.size() - remains.size();
  return remains;
}

}  // namespace tutti::cli
