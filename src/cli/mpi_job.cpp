#ifdef TUTTI_WITH_MPI
#include "cli/mpi_job.hpp"

#include <string>

#include "cli/mpi_peer.hpp"
#include "tutti/base/environment.hpp"

namespace tutti::cli {

bool MpiJob::launched() {
  const auto is_set = [](const char* variable) { return process_environment()(variable).has_value(); };
  // Another MPI's launcher would leave every rank alone in a job of one.
  const bool open_mpi = mpi_library().find("Open MPI") != std::string::npos;
  return is_set(open_mpi ? "OMPI_COMM_WORLD_SIZE" : "PMI_RANK") || is_set("PMIX_RANK");
}

MpiJob::MpiJob() { MPI_Init(nullptr, nullptr); }

MpiJob::~MpiJob() { MPI_Finalize(); }

World MpiJob::world() { return from_mpi(MPI_COMM_WORLD); }

std::unique_ptr<bench::Peer> MpiJob::peer() { return std::make_unique<MpiPeer>(MPI_COMM_WORLD); }

void MpiJob::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // not reached
}

}  // namespace tutti::cli
#endif
