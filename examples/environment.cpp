/// @file  Ranks started by a launcher: torchrun, mpirun, srun, or by hand. Without one it is a job of one rank.
// plain:
// torchrun: 2 4
// mpirun: 2
#include <cstdio>
#include <exception>
#include <vector>

#include "tutti/tutti.hpp"

int main() {
  try {
    // [environment]
    tutti::World world = tutti::from_environment();  // waits for the others; says whom it is waiting for
    tutti::Communicator comm{world, tutti::config_from_environment()};  // TUTTI_CALL_TIMEOUT and the like

    std::vector<int> hello{comm.rank()};
    std::vector<int> everybody(static_cast<std::size_t>(comm.size()));
    all_gather(comm, tutti::on_host(hello), tutti::on_host(everybody)).wait();
    // [environment]
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (everybody[static_cast<std::size_t>(rank)] != rank) return 1;
    }
    if (comm.rank() == 0) std::printf("%d ranks, started by %s\n", comm.size(), world.launcher.c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
