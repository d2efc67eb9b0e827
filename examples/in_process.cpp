/// @file  Four ranks as four threads: no launcher, no network, nothing to set up.
#include <cstdio>
#include <numeric>
#include <vector>

#include "tutti/tutti.hpp"

int main() {
  // [in_process]
  tutti::in_process(4, [](tutti::Communicator& comm) {
    std::vector<float> values(1000, static_cast<float>(comm.rank() + 1));
    all_reduce(comm, tutti::on_host(values), tutti::sum).wait();  // in place: every value is now 1 + 2 + 3 + 4

    if (comm.rank() == 0) std::printf("%d ranks, every value is %g\n", comm.size(), values[0]);
  });
  // [in_process]
  return 0;
}
