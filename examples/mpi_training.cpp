/// @file  The same training among the ranks of an MPI communicator; the program's own MPI calls go on beside it.
// mpirun: 2 4
#include <cmath>
#include <cstdio>

#include "training/train.hpp"
#include "tutti/bootstrap/mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = false;
  {
    tutti::Communicator comm{tutti::from_mpi(MPI_COMM_WORLD)};
    const std::vector<double> losses = train(comm, {});
    double slowest = losses.back();
    MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    right = slowest == losses.back() && losses.back() < 0.5 * losses.front();  // every rank has the same curve
    if (comm.rank() == 0) {
      for (std::size_t epoch = 0; epoch < losses.size(); ++epoch) {
        std::printf("epoch %3zu  loss %.6f\n", epoch + 1, losses[epoch]);
      }
    }
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
