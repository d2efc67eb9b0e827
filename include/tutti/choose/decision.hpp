/// @file  Decision: which engine, algorithm and protocol a call takes, and why.
#pragma once

#include <string>

#include "tutti/base/types.hpp"

namespace tutti {

/// An answer: no field is `automatic`, but for the backend nccl, where both are NCCL's own choice; and the algorithm is never `direct`. Between hosts the algorithm is that of the
/// stages inside a host; `mpi` where each stage takes its cheapest. The protocol is for one host only.
struct Decision {
  Backend backend = Backend::host;
  Algorithm algorithm = Algorithm::one_shot;
  Protocol protocol = Protocol::packet;
};

/// "host/two_shot/fifo", "two_level/mpi", "mpi": how errors and tables name it.
std::string describe(const Decision& decision);

}  // namespace tutti
