/// @file  Threads of the library's own: named, and deaf to the program's signals.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace tutti {

/// Starts `body` on a thread that takes no signals, so that handlers run where the program expects them.
/// `name` has at most 15 characters.
template <class Body>
std::thread quiet_thread(const char* name, Body body) {
  sigset_t all, kept;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &kept);
  struct Restore {
    const sigset_t& mask;
    ~Restore() { ::pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } restore{kept};
  std::thread thread(std::move(body));
  ::pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace tutti
