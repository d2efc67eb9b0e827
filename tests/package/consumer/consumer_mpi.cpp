/// @file  An outsider's first program under MPI, for any number of ranks.
#include <cstdio>
#include <vector>

#include "tutti/bootstrap/mpi.hpp"
#include "tutti/tutti.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = false;
  {
    tutti::Communicator comm{tutti::from_mpi(MPI_COMM_WORLD)};
    std::vector<int> ones(1000, 1);
    all_reduce(comm, tutti::on_host(ones), tutti::sum).wait();
    right = ones.front() == comm.size() && ones.back() == comm.size();
    std::printf("rank %d of %d: %s\n", comm.rank(), comm.size(), right ? "right" : "wrong");
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
