#include "tutti/base/unique_fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "tutti/base/error.hpp"

namespace tutti {

void UniqueFd::reset(int fd) noexcept {
  if (fd_ >= 0) {
    const int kept = errno;
    ::close(fd_);  // never retried: on Linux the number is free even after EINTR
    errno = kept;
  }
  fd_ = fd;
}

UniqueFd duplicate(int fd) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw_errno(Code::resource, "duplicating a file descriptor", "see ulimit -n");
  return UniqueFd(copy);
}

}  // namespace tutti
