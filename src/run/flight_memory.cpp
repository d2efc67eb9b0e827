#include "run/flight_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "run/flight_leftovers.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/unique_fd.hpp"
#include "tutti/base/units.hpp"

namespace tutti {

namespace {

/// What went wrong with a file: a reason to use memory.
struct NoFile {
  std::string why;
};

[[noreturn]] void no_file(const std::string& what, int error) {
  throw NoFile{fmt::format("{}: {}", what, std::generic_category().message(error))};
}

/// A name of one folder, whatever a job is called.
std::string folder_name(std::string job) {
  for (char& c : job) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!plain) c = '_';
  }
  if (job.empty() || job.front() == '.') job.insert(job.begin(), '_');
  return job.substr(0, 128);
}

/// Makes the folder unless it is there, and opens it. In one that somebody else may write to, files could be exchanged; what
/// is made through the descriptor is in the folder that was looked at, whatever has its name by then.
UniqueFd own_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) no_file("making " + path, errno);
  UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) {
    if (errno == ENOTDIR || errno == ELOOP) throw NoFile{path + " is no folder"};
    no_file(path, errno);
  }
  struct stat status {};
  if (fstat(folder.fd(), &status) != 0) no_file(path, errno);
  if (status.st_uid != geteuid()) throw NoFile{path + " belongs to another user"};
  if ((status.st_mode & 022U) != 0) throw NoFile{path + " may be written to by others (chmod go-w)"};
  return folder;
}

/// Makes a folder and those it lies in.
void make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) no_file("making " + part, errno);
  }
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) no_file("making " + path, errno);
}

UniqueFd new_file(const std::string& folder, const std::string& name) {
  for (int attempt = 0;; ++attempt) {
    const UniqueFd inside = own_folder(folder);
    UniqueFd fd(openat(inside.fd(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd) return fd;
    // A rank that ended may have removed the folder.
    if (errno != ENOENT || attempt == 10) no_file(fmt::format("making {}/{}", folder, name), errno);
  }
}

std::byte* map(std::size_t bytes, int fd) {
  const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

}  // namespace

std::string default_flight_directory() { return fmt::format("/tmp/tutti-{}", static_cast<unsigned long>(geteuid())); }

FlightMemory::FlightMemory(std::size_t bytes, const std::string& directory, const std::string& job,
                           const std::string& name, const std::function<void(const std::string&)>& warn)
    : bytes_(bytes) {
  if (directory != flight_memory_only) {
    try {
      if (directory.empty()) {
        own_folder(default_flight_directory());
        remove_old_recordings(default_flight_directory());
      } else {
        make_folders(directory);
      }
      folder_ = fmt::format("{}/{}", directory.empty() ? default_flight_directory() : directory, folder_name(job));
      const std::string path = fmt::format("{}/{}", folder_, name);
      const UniqueFd fd = new_file(folder_, name);
      file_ = path;
      int error = EINTR;
      while (error == EINTR) error = posix_fallocate(fd.fd(), 0, static_cast<off_t>(bytes));
      if (error != 0) {
        no_file(fmt::format("{} for {}", format_bytes(bytes), path), error);
      }
      data_ = map(bytes, fd.fd());
      if (data_ == nullptr) no_file("mapping " + path, errno);
      return;
    } catch (const NoFile& trouble) {
      remove_file();
      if (warn) {
        warn(fmt::format(
            "the flight recorder has no file ({}): the last calls are kept in memory only, and are lost with "
            "the process; name another directory (Config::flight_recorder, TUTTI_FLIGHT_RECORDER), or "
            "\"memory\"",
            trouble.why));
      }
    }
  }
  data_ = map(bytes, -1);
  if (data_ == nullptr) {
    throw_errno(Code::resource, fmt::format("{} for the flight recorder", format_bytes(bytes)),
                "allow the process more memory (ulimit -v)");
  }
}

FlightMemory::~FlightMemory() { munmap(data_, bytes_); }

void FlightMemory::remove_file() noexcept {
  if (!file_.empty()) unlink(file_.c_str());
  if (!folder_.empty()) rmdir(folder_.c_str());  // fails while others have files there
  file_.clear();
}

}  // namespace tutti
