/// @file  UniqueFd: the one owner of a file descriptor.
#pragma once

#include <utility>

namespace tutti {

/// Closes its descriptor when it goes. Empty (-1) after a move.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}  ///< takes ownership; a negative number is "none"
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;  // one descriptor, one owner; see duplicate()
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  /// The number, still owned here; -1 when empty.
  int fd() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

  /// Gives the number away: the caller closes it.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

  /// Closes what is held and takes `fd`. Leaves errno as it was.
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

/// Another descriptor of the same open file, closed on exec. Throws Error(resource) when there are no more
/// descriptors.
UniqueFd duplicate(int fd);

}  // namespace tutti
