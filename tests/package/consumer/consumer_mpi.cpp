/// @file  An outsider's first program under MPI.
#include <cstdio>

#include "tutti/bootstrap/mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto world = tutti::from_mpi(MPI_COMM_WORLD);
  std::printf("rank %d of %d\n", world.rank, world.size);
  const bool right = world.rank >= 0 && world.rank < world.size;
  MPI_Finalize();
  return right ? 0 : 1;
}
