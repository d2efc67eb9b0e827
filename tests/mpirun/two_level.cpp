/// @file  Ranks of several hosts over MPI: as the hosts they are on, or playing hosts on one machine.
// ranks: 2 5
// hosts: 1,2 2,2
// with: tutti_conformance run/between_hosts_checks.cpp
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bootstrap/mpi_network.hpp"
#include "conformance/between_hosts.hpp"
#include "conformance/run_case.hpp"
#include "run/between_hosts_checks.hpp"
#include "run/placement.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/mpi.hpp"
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"

using namespace tutti;

namespace {

/// A host for each rank; empty: the real ones.
struct Scene {
  std::string name;
  std::vector<int> hosts;
};

std::vector<Scene> scenes(int ranks) {
  std::vector<Scene> all(4);
  all[0].name = "a host each";
  all[1].name = "two hosts in turn";
  all[2].name = "one rank alone";
  all[3].name = "three hosts";
  for (int rank = 0; rank < ranks; ++rank) {
    all[0].hosts.push_back(rank);
    all[1].hosts.push_back(rank % 2);
    all[2].hosts.push_back(rank == 0 ? 0 : 1);
    all[3].hosts.push_back(rank * 3 / ranks);
  }
  if (ranks == 2) all.resize(1);  // the others are the same
  return all;
}

World world_of(const Scene& scene, std::size_t most) {
  World world = from_mpi(MPI_COMM_WORLD);
  if (!scene.hosts.empty()) {
    const std::string host = fmt::format("host-{}", scene.hosts[static_cast<std::size_t>(world.rank)]);
    world.host = host;
    world.host_id += '/' + host;
  }
  world.network = mpi_network(mpi_comm_of(world), world.keep_alive, most);
  return world;
}

/// One in `every` cases.
void conform(Communicator& comm, const Scene& scene, std::size_t every) {
  using namespace conformance;
  Facts facts;
  facts.ranks = comm.size();
  facts.hosts = 2;
  if (!scene.hosts.empty()) {
    const Placement placement(scene.hosts);
    facts.hosts = placement.hosts();
    facts.even = placement.even();
    facts.consecutive = placement.consecutive();
  } else {
    facts.consecutive = false;  // not known: then what is named is left out
  }
  const std::uint64_t seed = default_seed + static_cast<std::uint64_t>(comm.size());
  std::vector<Case> cases = some_between_hosts(facts, seed, every);
  for (Case& c : cases) {
    c.check_across_ranks = comm.config().check_across_ranks;
    c.progress_thread = false;
  }
  const Failures failures = run_here(comm, cases, seed);
  for (const std::string& failure : failures) std::fprintf(stderr, "%s: %s\n", scene.name.c_str(), failure.c_str());
  if (!failures.empty()) throw std::runtime_error("wrong results");
  if (comm.rank() == 0) std::printf("%s: %zu cases\n", scene.name.c_str(), cases.size());
}

/// Says on rank 0 what has passed, and how long it took.
class Log {
 public:
  explicit Log(std::string scene) : scene_(std::move(scene)) {}
  void passed(const Communicator& comm, const char* what) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> took = now - since_;
    if (comm.rank() == 0) std::printf("%s: %s, %.1f s\n", scene_.c_str(), what, took.count());
    std::fflush(stdout);
    since_ = now;
  }

 private:
  std::string scene_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// Rank 0, which also serves the store, stands still: the others say so at their deadline all the same. It goes on when
/// they have, and learns that it is over.
void check_frozen(Communicator& comm) {
  using namespace std::chrono_literals;
  std::vector<std::int64_t> pids(static_cast<std::size_t>(comm.size())), mine{::getpid()};
  all_gather(comm, on_host(std::as_const(mine)), on_host(pids)).wait();
  std::vector<float> values(1000, 1.0F);
  const auto call = [&](std::chrono::milliseconds timeout) -> std::optional<Code> {
    try {
      all_reduce(comm, on_host(values), sum, {.timeout = timeout}).wait();
    } catch (const Error& error) {
      return error.code();
    }
    return std::nullopt;
  };
  if (comm.rank() == 0) {
    raise(SIGSTOP);
    call(20s);  // what the others had sent may still be there
    if (call(20s) != Code::aborted) throw std::runtime_error("who stood still does not learn that it is over");
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto code = call(500ms);
  if (code != Code::timeout && code != Code::aborted) throw std::runtime_error("no error while rank 0 stands still");
  if (std::chrono::steady_clock::now() - begin > 10s) throw std::runtime_error("the error came too late");
  if (comm.rank() != comm.size() - 1) return;
  std::this_thread::sleep_for(2s);  // the others' deadlines
  kill(static_cast<pid_t>(pids[0]), SIGCONT);
}

void play(const Scene& scene, std::size_t every) {
  using namespace std::chrono_literals;
  const Config config{.timeout = 20s};
  Log log(scene.name);
  {
    Communicator comm(world_of(scene, most_mpi_elements), config);
    conform(comm, scene, every);
    log.passed(comm, "conformance");
    test::check_backend_mpi(comm);
    log.passed(comm, "MPI alone");
    test::check_same_bits_as_one_host(comm);
    log.passed(comm, "the bits of one host");
    test::check_split(comm);
    test::check_topology(comm);
    test::check_refusals(comm);
    log.passed(comm, "parts, topology, refusals");
  }
  {
    // Counts that do not fit what a call of MPI takes.
    Communicator comm(world_of(scene, 999), config);
    conform(comm, scene, 4 * every);
    test::check_backend_mpi(comm);
    log.passed(comm, "in pieces");
  }
  {
    Communicator comm(world_of(scene, most_mpi_elements), {.timeout = 20s, .check_across_ranks = true});
    test::check_mismatch(comm);
    test::check_tables(comm);
    log.passed(comm, "mismatches");
  }
  {
    Communicator comm(world_of(scene, most_mpi_elements), config);
    test::check_timeout(comm);
    log.passed(comm, "timeout");
  }
  {
    Communicator comm(world_of(scene, most_mpi_elements), config);
    test::check_abort(comm);
    log.passed(comm, "abort");
  }
  {
    Communicator comm(world_of(scene, most_mpi_elements), config);
    test::check_abort_above(comm);
    log.passed(comm, "abort above");
  }
  if (scene.hosts.empty()) {
    Communicator comm(world_of(scene, most_mpi_elements), config);
    check_frozen(comm);
    log.passed(comm, "a rank that stands still");
  }
}

}  // namespace

/// Argument: "real", on the hosts that the ranks are on, or the name of a scene; none: all scenes.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool real = argc > 1 && std::string_view(argv[1]) == "real";
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    if (real) {
      play({"real hosts", {}}, 60);
    } else {
      for (const Scene& scene : scenes(ranks)) {
        if (argc == 1 || scene.name == argv[1]) play(scene, 100);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
