/// @file  What the tests of the public face share: what each rank's body threw, and looking for words in it.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {

using namespace std::chrono_literals;

/// One for each rank; nothing where the body did not throw.
using Errors = std::vector<std::optional<Error>>;

/// Runs `body` on each of `ranks` threads. What a body throws stays with its rank: in_process does not see it, so that
/// the others go on. What is thrown besides Errors is thrown here.
inline Errors errors_of(int ranks, const std::function<void(Communicator&)>& body, const Config& config = {}) {
  Errors errors(static_cast<std::size_t>(ranks));
  in_process(
      ranks,
      [&](Communicator& comm) {
        try {
          body(comm);
        } catch (const Error& error) {
          errors[static_cast<std::size_t>(comm.rank())] = error;
        }
      },
      config);
  return errors;
}

/// The error that `call` throws; nothing when it throws none.
template <class Call>
std::optional<Error> error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// Has it this code, and does it say all these words? Tells what is missing otherwise.
inline bool says(const std::optional<Error>& error, Code code, std::initializer_list<std::string_view> words) {
  if (!error) {
    UNSCOPED_INFO("nothing was thrown");
    return false;
  }
  const std::string text = error->what();
  bool all = true;
  const auto miss = [&](std::string_view what) {
    UNSCOPED_INFO('"' << text << "\" does not say \"" << what << '"');
    all = false;
  };
  if (error->code() != code) miss(name(code));
  for (const std::string_view word : words) {
    if (text.find(word) == std::string::npos) miss(word);
  }
  return all;
}

/// For bodies that run on threads, where the test framework's own checks do not reach.
inline void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("not so: " + what);
}

/// A sum over the ranks, as a sign of life: throws unless it is right.
inline void expect_works(Communicator& comm) {
  std::vector<int> ones{1};
  all_reduce(comm, on_host(ones), sum).wait();
  require(ones[0] == comm.size(), "the communicator still sums");
}

}  // namespace tutti::test
