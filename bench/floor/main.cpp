/// @file  tutti-floor: our all_reduce beside loops written by hand for two ranks and one situation, in turn.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "floor/loops.hpp"
#include "floor/pair.hpp"
#include "tutti/collectives.hpp"
#include "tutti/in_process.hpp"

namespace {

using namespace tutti;
using namespace tutti::floor_bench;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::string buffers = "private";
  std::vector<std::size_t> sizes{8, 64, 1024, 8192, 65536, 524288, 4194304, 33554432, 134217728};
  int rounds = 15;
  double seconds = 1;  ///< for a size, about
};

/// Zeroed; what processes forked later share with this one, when `shared`.
std::byte* map(std::size_t bytes, bool shared) {
  const int kind = MAP_ANONYMOUS | MAP_NORESERVE | (shared ? MAP_SHARED : MAP_PRIVATE);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error(fmt::format("no memory: {} bytes", bytes));
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

/// Binds the calling thread to the `rank`th processor that it may use.
void bind(int rank) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  int skip = rank;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || skip-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// One rank of the comparison. `own` is for our calls, `v` for the loops; they are the same vectors where they can be.
class Comparison {
 public:
  Comparison(Communicator& communicator, Common& common, const Settings& settings, const Vectors& own, const Vectors& v)
      : communicator_(communicator), pair_(common, communicator.rank()), settings_(settings), own_(own), v_(v) {}

  void run() {
    if (pair_.rank == 0) {
      fmt::print("{:>10} {:>8} {:>6} {:>10} {:>10} {:>6}  {}\n", "bytes", "buffers", "flag", "ours_us", "floor_us",
                 "ratio", "floor, and the other ways");
    }
    for (const std::size_t bytes : settings_.sizes) one_size(bytes);
    pair_.barrier();
  }

 private:
  void one_size(std::size_t bytes) {
    own_.count = v_.count = bytes / sizeof(float);
    const std::vector<Way> ways = settings_.buffers == "private" ? ways_through_slots(bytes) : ways_in_place(bytes);
    const std::size_t candidates = 1 + ways.size();
    std::vector<std::vector<double>> times(candidates);
    std::vector<std::uint64_t> iterations(candidates);
    const double flag = flag_exchange();
    const double share = settings_.seconds / settings_.rounds / static_cast<double>(candidates);
    for (std::size_t which = 0; which < candidates; ++which) {
      check(which, ways);
      batch(which, ways, 2);
      double each = batch(which, ways, 2);
      if (each < 1e-4) each = batch(which, ways, 200);
      iterations[which] = pair_.told(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share / each)));
    }
    for (int round = 0; round < settings_.rounds; ++round) {
      for (std::size_t turn = 0; turn < candidates; ++turn) {
        const std::size_t which = (static_cast<std::size_t>(round) + turn) % candidates;
        times[which].push_back(1e6 * batch(which, ways, iterations[which]));
      }
    }
    if (pair_.rank == 0) show(bytes, ways, times, std::max(flag, flag_exchange()));
    if (pair_.rank == 1) flag_exchange();
  }

  void once(std::size_t which, const std::vector<Way>& ways) {
    if (which == 0) {
      all_reduce(communicator_, Span<const float, Memory::host>{own_.in, own_.count},
                 Span<float, Memory::host>{own_.out, own_.count}, sum)
          .wait();
    } else {
      ways[which - 1].all_reduce(pair_, v_, ways[which - 1]);
    }
  }

  /// Seconds of one operation, of the slower rank.
  double batch(std::size_t which, const std::vector<Way>& ways, std::uint64_t iterations) {
    pair_.barrier();
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < iterations; ++i) once(which, ways);
    pair_.barrier();
    return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(iterations);
  }

  /// Microseconds in which both raise a flag and see the other's.
  double flag_exchange() {
    std::vector<double> series;
    for (int s = 0; s < 9; ++s) {
      const auto start = Clock::now();
      for (int i = 0; i < 100; ++i) pair_.barrier();
      series.push_back(std::chrono::duration<double>(Clock::now() - start).count() * 1e4);
    }
    return median(series);
  }

  void check(std::size_t which, const std::vector<Way>& ways) {
    const Vectors& v = which == 0 ? own_ : v_;
    auto* in = const_cast<float*>(v.in);
    for (std::size_t i = 0; i < v.count; ++i) in[i] = static_cast<float>(pair_.rank + 1 + static_cast<int>(i % 7));
    std::fill_n(v.out, v.count, 0.0F);
    pair_.barrier();
    once(which, ways);
    pair_.barrier();
    for (std::size_t i = 0; i < v.count; ++i) {
      if (v.out[i] == static_cast<float>(3 + 2 * static_cast<int>(i % 7))) continue;
      fmt::print(stderr, "wrong value {} at {} of {}, way {}\n", v.out[i], i, v.count, which);
      std::fflush(stderr);
      ::_exit(1);
    }
  }

  /// The floor is the way with the least median; the ratio is that of one round, then the median over the rounds.
  void show(std::size_t bytes, const std::vector<Way>& ways, const std::vector<std::vector<double>>& times,
            double flag) const {
    std::size_t best = 1;
    for (std::size_t which = 2; which < times.size(); ++which) {
      if (median(times[which]) < median(times[best])) best = which;
    }
    std::vector<double> ratios;
    for (std::size_t round = 0; round < times[0].size(); ++round)
      ratios.push_back(times[0][round] / times[best][round]);
    std::string words = ways[best - 1].name;
    for (std::size_t which = 1; which < times.size(); ++which) {
      if (which != best) words += fmt::format("; {} {:.4g}", ways[which - 1].name, median(times[which]));
    }
    fmt::print("{:>10} {:>8} {:>6.2f} {:>10.4g} {:>10.4g} {:>6.2f}  {}\n", bytes, settings_.buffers, flag,
               median(times[0]), median(times[best]), median(ratios), words);
    std::fflush(stdout);
  }

  Communicator& communicator_;
  Pair pair_;
  const Settings& settings_;
  Vectors own_;
  Vectors v_;
};

void threads(const Settings& settings, std::size_t most) {
  auto& common = *reinterpret_cast<Common*>(map(sizeof(Common), false));
  Vectors v;
  for (int rank = 0; rank < 2; ++rank) {
    v.in_of[rank] = reinterpret_cast<float*>(map(most, false));
    v.out_of[rank] = reinterpret_cast<float*>(map(most, false));
  }
  in_process(2, [&](Communicator& communicator) {
    bind(communicator.rank());
    Vectors mine = v;
    mine.in = v.in_of[communicator.rank()];
    mine.out = v.out_of[communicator.rank()];
    Comparison(communicator, common, settings, mine, mine).run();
  });
}

void process(int rank, const std::string& name, Common& common, const Settings& settings, Vectors v, std::size_t most) {
  bind(rank);
  World world = from_environment(environment_of({{"TUTTI_RANK", std::to_string(rank)},
                                                 {"TUTTI_WORLD_SIZE", "2"},
                                                 {"TUTTI_STORE", "unix:" + name},
                                                 {"TUTTI_JOB", name}}));
  Communicator communicator(std::move(world));
  Vectors own;
  Buffer<float> in, out;
  if (settings.buffers == "shared") {
    in = communicator.allocate<float>(most / sizeof(float));
    out = communicator.allocate<float>(most / sizeof(float));
    own.in = in.data();
    own.out = out.data();
    v.in = v.in_of[rank];
    v.out = v.out_of[rank];
  } else {
    v.in = reinterpret_cast<float*>(map(most, false));
    v.out = reinterpret_cast<float*>(map(most, false));
    own = v;
  }
  Comparison(communicator, common, settings, own, v).run();
  if (rank == 0) ::signal(SIGCHLD, SIG_DFL);
  barrier(communicator).wait();
}

int processes(const Settings& settings, std::size_t most) {
  auto& common = *reinterpret_cast<Common*>(map(sizeof(Common), true));
  Vectors v;
  for (int rank = 0; rank < 2 && settings.buffers == "shared"; ++rank) {
    v.in_of[rank] = reinterpret_cast<float*>(map(most, true));
    v.out_of[rank] = reinterpret_cast<float*>(map(most, true));
  }
  const std::string name = fmt::format("tutti-floor-{}", ::getpid());
  ::signal(SIGCHLD, [](int) { ::_exit(1); });  // the loops would wait for ever
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      process(1, name, common, settings, v, most);
    } catch (const std::exception& error) {
      fmt::print(stderr, "rank 1: {}\n", error.what());
      std::fflush(stderr);
      ::_exit(1);
    }
    ::_exit(0);
  }
  process(0, name, common, settings, v, most);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app{"tutti's all_reduce beside hand-written loops, two ranks, sums of float32, in turn"};
  app.add_option("--buffers", settings.buffers, "private (processes), shared (processes, comm.allocate) or threads")
      ->check(CLI::IsMember({"private", "shared", "threads"}))
      ->capture_default_str();
  app.add_option("--sizes", settings.sizes, "bytes of a vector")->delimiter(',')->check(CLI::Range(8, 1 << 30));
  app.add_option("--rounds", settings.rounds, "of each way, in turn")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", settings.seconds, "for each size, about")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const std::size_t most = *std::max_element(settings.sizes.begin(), settings.sizes.end());
    if (settings.buffers != "threads") return processes(settings, most);
    threads(settings, most);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tutti-floor: {}\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
