/// @file  Errors: what went wrong, where, and what to do about it, in one exception type.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace tutti {

/// Stable numbers: they are printed, logged and compared across versions.
enum class Code : int {
  invalid_argument = 1,  ///< the call itself is wrong on this rank
  mismatch = 2,          ///< ranks made calls that do not belong together
  unsupported = 3,       ///< right, but nothing present can do it
  timeout = 4,           ///< a deadline passed
  peer_lost = 5,         ///< another rank is gone
  aborted = 6,           ///< somebody called abort, or an earlier failure poisoned the communicator
  bootstrap = 7,         ///< the ranks could not find or admit one another
  resource = 8,          ///< memory, descriptors, files: the system said no
  network = 9,           ///< a socket or a network engine failed
  internal = 10,         ///< a fault of tutti
};

/// The name of a code, as printed: "peer_lost".
const char* name(Code code) noexcept;

/// A place in the caller's source. `here()` as a default argument gives the caller's own line.
struct Where {
  const char* file;
  int line;
  static constexpr Where here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

/// What is known about the call that failed; every field is optional.
struct Context {
  int rank = -1;
  std::string operation{};  ///< "all_reduce of 4 MiB float32"
  std::string engine{};     ///< "host/ring"
  int peer = -1;
  std::string remedy{};  ///< what the user can do; printed after a semicolon
};

/// Every failure of the library.
/// The message reads "rank 3: all_reduce of 4 MiB float32 on host/ring: peer 5: <what>; <remedy> [code,
/// file:line]".
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& what, Context context = {}, Where where = Where::here());

  Code code() const noexcept { return code_; }
  const Context& context() const noexcept { return context_; }
  Where where() const noexcept { return where_; }
  const std::string& reason() const noexcept { return reason_; }  ///< the bare cause, without the context

  /// The same failure, with the empty fields of its context filled from `more`.
  Error with(const Context& more) const;

 private:
  Code code_;
  std::string reason_;
  Context context_;
  Where where_;
};

/// Throws unless `condition` holds.
inline void expect(bool condition, Code code, const char* what, const char* remedy = "", Where where = Where::here()) {
  if (!condition) [[unlikely]] {
    throw Error(code, what, Context{.remedy = remedy}, where);
  }
}

/// Throws `code` with the text of `errno` appended: "mmap of 4 MiB: Cannot allocate memory".
[[noreturn]] void throw_errno(Code code, const std::string& what, const std::string& remedy = {},
                              Where where = Where::here());

}  // namespace tutti
