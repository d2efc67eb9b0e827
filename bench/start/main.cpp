/// @file  tutti-start-MPI: how long it takes to start, by this MPI or by tutti, and to do a first all_reduce.
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "tutti/collectives.hpp"
#include "tutti/in_process.hpp"

namespace {

using namespace tutti;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return 1e3 * std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of the slowest rank: everything is there, and the first all_reduce is done.
struct Times {
  double ready = 0;
  double done = 0;
};

void print(const Times& times) {
  fmt::print("{{\"ready_ms\": {:.3f}, \"done_ms\": {:.3f}}}\n", times.ready, times.done);
}

void by_mpi(int argc, char** argv) {
  const auto start = Clock::now();
  MPI_Init(&argc, &argv);
  Times times{.ready = milliseconds_since(start)};
  float in = 1, out = 0;
  MPI_Allreduce(&in, &out, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  times.done = milliseconds_since(start);
  double mine[2] = {times.ready, times.done}, most[2] = {};
  MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Finalize();
  if (out != static_cast<float>(ranks)) throw std::runtime_error("MPI's sum is wrong");
  if (rank == 0) print({most[0], most[1]});
}

void by_tutti() {
  const auto start = Clock::now();
  Communicator communicator(from_environment());
  Times times{.ready = milliseconds_since(start)};
  std::vector<float> one{1};
  all_reduce(communicator, on_host(one), sum).wait();
  times.done = milliseconds_since(start);
  std::vector<double> most{times.ready, times.done};
  all_reduce(communicator, on_host(most), maximum).wait();
  if (one[0] != static_cast<float>(communicator.size())) throw std::runtime_error("our sum is wrong");
  if (communicator.rank() == 0) print({most[0], most[1]});
}

/// Made, used once and torn down again.
void in_one_process(int ranks) {
  const auto start = Clock::now();
  in_process(ranks, [&](Communicator& communicator) {
    std::vector<float> one{1};
    all_reduce(communicator, on_host(one), sum).wait();
    if (one[0] != static_cast<float>(ranks)) throw std::runtime_error("our sum is wrong");
  });
  const double time = milliseconds_since(start);
  print({time, time});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "mpi") {
      by_mpi(argc, argv);
    } else if (what == "tutti") {
      by_tutti();
    } else if (const int ranks = std::atoi(what.c_str()); ranks > 0) {
      in_one_process(ranks);
    } else {
      fmt::print(stderr, "usage: {} mpi|tutti|RANKS    (the first two under mpirun; RANKS as threads)\n", argv[0]);
      return EXIT_FAILURE;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
