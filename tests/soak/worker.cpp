/// @file  One rank of a soak: traffic until something ends it; then a line that says what it saw. Driven by kills and mix.
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "soak/traffic.hpp"

namespace {

using namespace tutti;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int descriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return -1;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

/// Pages of this process in memory, as KiB.
long resident() {
  std::ifstream in("/proc/self/statm");
  long size = 0, pages = 0;
  in >> size >> pages;
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

void say(const std::string& line) {
  const std::string whole = line + '\n';
  if (write(STDOUT_FILENO, whole.data(), whole.size()) < 0) std::abort();
}

void end_at_once(int) { _exit(3); }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c < ' ' ? ' ' : c;
  }
  return out + '"';
}

/// Traffic until a rank is lost; then those that are left go on, a little.
int until_loss(std::uint64_t seed) {
  const int before = descriptors();
  {
    Communicator comm{from_environment(), config_from_environment()};
    soak::Traffic traffic(seed, 60'000);
    traffic.step(comm);
    say("{\"ready\": true}");
    try {
      for (;;) traffic.step(comm);
    } catch (const Error& error) {
      say("{\"caught\": " + std::to_string(now()) + ", \"code\": \"" + name(error.code()) +
          "\", \"peer\": " + std::to_string(error.context().peer) + ", \"calls\": " + std::to_string(traffic.calls()) +
          ", \"what\": " + quoted(error.what()) + "}");
    }
    try {
      Communicator left = comm.shrink();
      soak::Traffic more(seed + 1, 5'000);
      for (int i = 0; i < 20; ++i) more.step(left);
      say("{\"left\": " + std::to_string(left.size()) + ", \"at\": " + std::to_string(now()) + "}");
    } catch (const Error& error) {
      say("{\"no_shrink\": " + quoted(error.what()) + "}");
    }
  }
  // What the library keeps for the process: a store server that goes on for others, and its descriptors.
  say("{\"descriptors\": " + std::to_string(descriptors() - before) + "}");
  return 0;
}

/// Traffic for so many seconds over the whole, its halves and a duplicate; memory and descriptors may not grow.
int for_seconds(std::uint64_t seed, double seconds, std::uint64_t small) {
  Communicator comm{from_environment(), config_from_environment()};
  Communicator half = comm.split(comm.rank() % 2).value();
  Communicator twin = comm.duplicate();
  soak::Traffic whole(seed, 60'000), of_half(seed + 100 + static_cast<std::uint64_t>(comm.rank() % 2), 20'000),
      of_twin(seed + 200, 20'000);
  std::uint64_t small_calls = 0, mixes = 0;
  long early_memory = 0;
  int early_descriptors = 0;
  const double begin = now();
  for (bool goes_on = true; goes_on; ++mixes) {
    for (int i = 0; i < 40; ++i) {
      whole.step(comm);
      of_half.step(half);
      of_twin.step(twin);
    }
    for (std::uint64_t i = 0; i < small; ++i, ++small_calls) {
      std::int64_t sum_of = comm.rank();
      all_reduce(comm, on_host(&sum_of, 1), sum).wait();
      if (sum_of != static_cast<std::int64_t>(comm.size()) * (comm.size() - 1) / 2)
        throw soak::Wrong{"a small all_reduce"};
    }
    {  // communicators and memory come and go
      Communicator passing = half.split(0).value();
      Buffer<float> buffer = passing.allocate<float>(1000);
      all_reduce(passing, on_host(buffer), sum).wait();
    }
    std::int32_t votes = now() - begin < seconds ? 1 : 0;
    broadcast(comm, on_host(&votes, 1), 0).wait();
    goes_on = votes != 0;
    if (early_memory == 0 && now() - begin > seconds / 4) {
      early_memory = resident();
      early_descriptors = descriptors();
    }
  }
  say("{\"rank\": " + std::to_string(comm.rank()) +
      ", \"mixed\": " + std::to_string(whole.calls() + of_half.calls() + of_twin.calls()) +
      ", \"small\": " + std::to_string(small_calls) + ", \"rounds\": " + std::to_string(mixes) +
      ", \"kib\": " + std::to_string(early_memory) + ", \"kib_after\": " + std::to_string(resident()) +
      ", \"descriptors\": " + std::to_string(early_descriptors) +
      ", \"descriptors_after\": " + std::to_string(descriptors()) + "}");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGUSR1, end_at_once);
  const std::string what = argc > 2 ? argv[1] : "";
  try {
    if (what == "loss") return until_loss(std::strtoull(argv[2], nullptr, 10));
    if (what == "mix" && argc > 4) {
      return for_seconds(std::strtoull(argv[2], nullptr, 10), std::strtod(argv[3], nullptr),
                         std::strtoull(argv[4], nullptr, 10));
    }
    std::fputs("usage: soak_worker loss SEED | mix SEED SECONDS SMALL\n", stderr);
    return 64;
  } catch (const soak::Wrong& wrong) {
    say("{\"wrong\": " + quoted(wrong.what) + "}");
    return 1;
  } catch (const std::exception& error) {
    say("{\"error\": " + quoted(error.what()) + "}");
    return 2;
  }
}
