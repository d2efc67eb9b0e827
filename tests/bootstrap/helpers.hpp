/// @file  What the tests of the bootstrap share: catching errors, counting descriptors, running processes and threads.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "tutti/base/error.hpp"

namespace helpers {

using namespace std::chrono_literals;

inline auto in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

/// The error that `call` throws; fails the test when it throws none.
template <class Call>
tutti::Error error_of(Call call) {
  try {
    call();
  } catch (const tutti::Error& error) {
    return error;
  }
  FAIL("no error was thrown");
  return tutti::Error(tutti::Code::internal, "unreachable");
}

inline bool says(const tutti::Error& error, const std::string& words) {
  const bool found = std::string(error.what()).find(words) != std::string::npos;
  if (!found) UNSCOPED_INFO("\"" << error.what() << "\" does not say \"" << words << '"');
  return found;
}

/// Descriptors of this process that are open now.
inline std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

/// Runs body(0..size-1) on threads; rethrows the first error by number.
inline void on_threads(int size, const std::function<void(int)>& body) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  {
    std::vector<std::thread> threads;
    for (int number = 0; number < size; ++number) {
      threads.emplace_back([&, number] {
        try {
          body(number);
        } catch (...) {
          errors[static_cast<std::size_t>(number)] = std::current_exception();
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Runs body(0..size-1) in processes of their own and returns the numbers of those that failed.
inline std::vector<int> in_processes(int size, const std::function<void(int)>& body) {
  std::vector<pid_t> children;
  for (int number = 0; number < size; ++number) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      try {
        body(number);
        ::_exit(0);
      } catch (const std::exception& error) {
        const std::string line = std::to_string(number) + ": " + error.what() + '\n';
        [[maybe_unused]] const auto written = ::write(2, line.data(), line.size());
      }
      ::_exit(1);
    }
    children.push_back(child);
  }
  std::vector<int> failed;
  for (int number = 0; number < size; ++number) {
    int status = 0;
    ::waitpid(children[static_cast<std::size_t>(number)], &status, 0);
    if (status != 0) failed.push_back(number);
  }
  return failed;
}

/// Throws in a child process or thread, where the test framework's own checks do not reach.
inline void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("not so: ") + what);
}

/// A name that no other test process uses.
inline std::string fresh_name(const std::string& stem) {
  static int count = 0;
  return stem + "-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

}  // namespace helpers
