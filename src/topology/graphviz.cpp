#include "topology/graphviz.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "tutti/base/error.hpp"
#include "tutti/base/unique_fd.hpp"

extern char** environ;

namespace tutti {

namespace {

/// An unnamed file in memory: the child reads and writes whole files, so neither side can wait for the other.
UniqueFd memory_file(const char* name) {
  UniqueFd file{memfd_create(name, MFD_CLOEXEC)};
  if (!file) throw_errno(Code::resource, "memfd_create");
  return file;
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(fd, text.data(), text.size());
    if (done < 0 && errno != EINTR) throw_errno(Code::resource, "write to a file in memory");
    if (done > 0) text.remove_prefix(static_cast<std::size_t>(done));
  }
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 1 << 16> block;
  for (;;) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string svg_of(const std::string& dot) {
  const UniqueFd in = memory_file("dot");
  const UniqueFd out = memory_file("svg");
  write_all(in.fd(), dot);
  ::lseek(in.fd(), 0, SEEK_SET);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.fd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.fd(), STDOUT_FILENO);
  std::array<char*, 3> arguments{const_cast<char*>("dot"), const_cast<char*>("-Tsvg"), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "dot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw Error(Code::unsupported, "SVG needs the program `dot`, which was not found",
                {.remedy = "install graphviz, or ask for dot and draw it elsewhere"});
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error(Code::internal, fmt::format("`dot -Tsvg` failed with status {}", status));
  }
  ::lseek(out.fd(), 0, SEEK_SET);
  return read_all(out.fd());
}

}  // namespace tutti
