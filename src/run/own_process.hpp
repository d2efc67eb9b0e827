/// @file  InOwnProcess: what has threads goes in the process that made it; a fork of that has none of them, and leaves it.
#pragma once

#include <unistd.h>

namespace tutti {

/// A deleter. Ending a thread that is not there would wait for ever, and so would its condition variable.
struct InOwnProcess {
  pid_t process = ::getpid();

  bool is_here() const noexcept { return ::getpid() == process; }
  template <class Object>
  void operator()(Object* object) const {
    if (is_here()) delete object;
  }
};

}  // namespace tutti
