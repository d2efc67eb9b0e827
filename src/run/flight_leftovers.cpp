#include "run/flight_leftovers.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <utility>
#include <vector>

#include "run/flight_layout.hpp"
#include "tutti/base/unique_fd.hpp"

namespace tutti {

namespace {

namespace fs = std::filesystem;

/// A recording whose process is surely gone.
bool is_left_over(const fs::path& file, std::uint64_t own_namespace) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  alignas(flight::Header) std::byte bytes[sizeof(flight::Header)];
  if (!fd || ::pread(fd.fd(), bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return false;
  const auto& header = *reinterpret_cast<const flight::Header*>(bytes);
  if (header.magic != flight::magic || header.pid_namespace != own_namespace || header.process < 1) return false;
  return ::kill(static_cast<pid_t>(header.process), 0) != 0 && errno == ESRCH;
}

}  // namespace

void remove_old_recordings(const std::string& directory, std::size_t most) noexcept {
  try {
    std::vector<std::pair<fs::file_time_type, fs::path>> jobs;
    std::error_code error;
    for (auto each = fs::directory_iterator(directory, error); !error && each != fs::directory_iterator();
         each.increment(error)) {
      std::error_code gone;
      if (each->symlink_status(gone).type() != fs::file_type::directory) continue;
      const auto written = each->last_write_time(gone);
      if (!gone) jobs.emplace_back(written, each->path());
    }
    if (jobs.size() <= most) return;
    std::sort(jobs.begin(), jobs.end());
    struct stat status {};
    const std::uint64_t own_namespace = ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
    for (std::size_t i = 0; i < jobs.size() - most; ++i) {
      std::vector<fs::path> files;
      for (auto each = fs::directory_iterator(jobs[i].second, error); !error && each != fs::directory_iterator();
           each.increment(error)) {
        files.push_back(each->path());
      }
      const auto left_over = [&](const fs::path& file) { return is_left_over(file, own_namespace); };
      if (!std::all_of(files.begin(), files.end(), left_over)) continue;
      for (const fs::path& file : files) ::unlink(file.c_str());
      ::rmdir(jobs[i].second.c_str());
    }
  } catch (const std::exception&) {  // out of memory: another time
  }
}

}  // namespace tutti
