/// @file  Beside MPI: the ranks of an MPI communicator, and tutti's collectives among them.
// mpirun: 2 4
#include <cstdio>
#include <vector>

#include "tutti/bootstrap/mpi.hpp"
#include "tutti/tutti.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = false;
  {
    // [from_mpi]
    tutti::Communicator comm{tutti::from_mpi(MPI_COMM_WORLD)};  // collective; MPI is not used for the data of one host
    std::vector<double> in(1 << 20, comm.rank());
    std::vector<double> out(in.size());
    all_reduce(comm, tutti::on_host(in), tutti::on_host(out), tutti::average).wait();
    // [from_mpi]
    right = out.front() == 0.5 * (comm.size() - 1) && out.back() == out.front();
    if (comm.rank() == 0) std::printf("the average over %d ranks is %g\n", comm.size(), out.front());
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
