/// @file  MpiJob: this process as a rank of an MPI job. Where there is no MPI in this build, there are no MPI jobs.
#pragma once

#include <memory>

#include "cli/bench_call.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti::cli {

class MpiJob {
 public:
  /// Was this process started as a rank by the launcher of the MPI this program is linked with?
  static bool launched();
  /// Initialises MPI, which is finalised with the object. Throws Error(unsupported) in a build without MPI.
  MpiJob();
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  World world();
  /// MPI's own collectives on all ranks of the job.
  std::unique_ptr<bench::Peer> peer();
  /// Ends all ranks, wherever they are.
  [[noreturn]] void abort(int status);
};

}  // namespace tutti::cli
