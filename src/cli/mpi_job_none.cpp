#ifndef TUTTI_WITH_MPI
#include "cli/mpi_job.hpp"

#include <cstdlib>

#include "tutti/base/error.hpp"

namespace tutti::cli {

bool MpiJob::launched() { return false; }

MpiJob::MpiJob() {
  throw Error(Code::unsupported, "this program was built without MPI",
              {.remedy = "install an MPI (Debian: libopenmpi-dev) and build again"});
}

MpiJob::~MpiJob() = default;
World MpiJob::world() { return alone(); }
std::unique_ptr<bench::Peer> MpiJob::peer() { return nullptr; }
void MpiJob::abort(int status) { std::exit(status); }

}  // namespace tutti::cli
#endif
