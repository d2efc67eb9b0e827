/// @file  MpiPeer: MPI's own collectives, to be measured beside ours.
#pragma once

#include "cli/bench_call.hpp"
#include "tutti/bootstrap/mpi.hpp"

namespace tutti::cli {

class MpiPeer : public bench::Peer {
 public:
  /// `communicator` outlives the object; its ranks are numbered as the Communicator's that is measured.
  explicit MpiPeer(MPI_Comm communicator);

  std::string name() const override { return "mpi"; }
  std::string version() const override;
  std::string unsupported(const bench::Call& call) const override;
  bench::Runner runner(bench::Call& call) override;

 private:
  bench::Runner uneven(const bench::Call& call) const;

  MPI_Comm communicator_;
  int rank_ = 0;
  int ranks_ = 1;
};

/// The MPI library this program is linked with, in one line: "Open MPI v4.1.4". May be called before MPI_Init.
std::string mpi_library();

}  // namespace tutti::cli
