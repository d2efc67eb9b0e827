#include "bootstrap/host.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "tutti/bootstrap/world.hpp"

namespace tutti {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string link_target(const char* path) {
  std::array<char, 256> target{};
  const auto length = ::readlink(path, target.data(), target.size());
  return length > 0 ? std::string(target.data(), static_cast<std::size_t>(length)) : std::string("?");
}

struct ProcessStat {
  std::string command;
  long parent = 0;
  std::string start_time;
};

// /proc/PID/stat: "PID (command, which may hold anything) state parent … start_time(22nd) …"
std::optional<ProcessStat> stat_of(long pid) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", pid));
  const auto open = line.find('(');
  const auto close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  ProcessStat stat;
  stat.command = line.substr(open + 1, close - open - 1);
  std::istringstream fields(line.substr(close + 1));
  std::string field;
  fields >> field >> stat.parent;
  for (int number = 5; number <= 22 && fields; ++number) fields >> field;
  if (!fields) return std::nullopt;
  stat.start_time = field;
  return stat;
}

}  // namespace

std::string this_host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unnamed-host";
  return name.data();
}

std::string this_host_id() {
  std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  if (boot.empty()) boot = first_line("/etc/machine-id");
  return fmt::format("{}/{}/{}/{}", boot, this_host(), link_target("/proc/self/ns/net"),
                     link_target("/proc/self/ns/ipc"));
}

std::optional<std::string> ancestor_named(std::string_view command) {
  long pid = ::getppid();
  for (int generation = 0; generation < 64 && pid > 0; ++generation) {
    const auto stat = stat_of(pid);
    if (!stat) return std::nullopt;
    if (stat->command == command) return fmt::format("{}-{}", pid, stat->start_time);
    pid = stat->parent;
  }
  return std::nullopt;
}

std::optional<std::string> socket_identity(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode)) return std::nullopt;
  return fmt::format("{}-{}", status.st_dev, status.st_ino);
}

}  // namespace tutti
