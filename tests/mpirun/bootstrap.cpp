/// @file  Under a real mpirun: ranks meet without MPI, out of MPI communicators, and after MPI has been finalised.
// ranks: 1 2 3
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "tutti/base/error.hpp"
#include "tutti/bootstrap/descriptor.hpp"
#include "tutti/bootstrap/mpi.hpp"
#include "tutti/bootstrap/rendezvous.hpp"

using tutti::UniqueFd;
using tutti::World;

namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("not so: " + what);
}

// Every rank hears from every other, and a descriptor of rank 0 reaches all.
void talk(const World& world) {
  const auto key = [](int rank) { return "hello from " + std::to_string(rank); };
  require(!world.store->get(key(world.rank)), "each World has keys of its own");
  world.store->set(key(world.rank), world.job);
  for (int rank = 0; rank < world.size; ++rank) {
    const auto said = tutti::text_of(world.store->wait(key(rank), world.deadline()));
    require(rank == world.rank || said == world.job, "all are of one job");
  }
  const int number = 4711;
  UniqueFd fd;
  if (world.rank == 0) {
    fd = UniqueFd(::memfd_create("test", MFD_CLOEXEC));
    require(::pwrite(fd.fd(), &number, sizeof(number), 0) == sizeof(number), "written");
    share_descriptor(world, "file", fd.fd(), world.size - 1, world.deadline());
  } else {
    fd = receive_descriptor(world, "file", world.deadline());
  }
  int read = 0;
  require(::pread(fd.fd(), &read, sizeof(read), 0) == sizeof(read) && read == number, "the same file");
  gather_ranks(world, "end of talk", world.deadline());
}

void without_mpi() {
  const World first = tutti::from_environment();
  const World second = tutti::from_environment();
  require(first.rank == second.rank && first.size == second.size, "the same rank twice");
  talk(second);
  talk(first);
  bool refused = false;
  try {
    tutti::from_mpi(MPI_COMM_WORLD);
  } catch (const tutti::Error& error) {
    refused = error.code() == tutti::Code::invalid_argument;
  }
  require(refused, "from_mpi before MPI_Init is an error");
}

World out_of_mpi(int rank, int size) {
  const World world = tutti::from_mpi(MPI_COMM_WORLD);
  require(world.rank == rank && world.size == size, "rank and size as in MPI");
  talk(world);

  // The duplicate is ours alone: a message on it is not received on the original.
  const MPI_Comm mine = tutti::mpi_comm_of(world);
  int same = MPI_UNEQUAL;
  MPI_Comm_compare(mine, MPI_COMM_WORLD, &same);
  require(same == MPI_CONGRUENT, "a duplicate");
  require(tutti::mpi_comm_of(tutti::alone()) == MPI_COMM_NULL, "no communicator without MPI");

  // A communicator in reverse order, which its maker frees at once.
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  const World backwards = tutti::from_mpi(reversed);
  MPI_Comm_free(&reversed);
  require(backwards.rank == size - 1 - rank, "ranks of the communicator given");
  talk(backwards);
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, tutti::mpi_comm_of(backwards));
  require(sum == size, "the duplicate lives on");

  // As on different hosts: over TCP.
  const World apart = tutti::from_mpi(MPI_COMM_WORLD, {.host_id = std::to_string(rank)});
  require(apart.host_id != world.host_id, "another host");
  talk(apart);
  return world;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    without_mpi();
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    World late = out_of_mpi(rank, size);
    MPI_Finalize();
    late = World{};  // dropped after MPI has ended
    if (rank == 0) std::printf("%d ranks met\n", size);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(1);
  }
}
