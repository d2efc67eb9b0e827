/// @file  Four ranks as four threads: no launcher, no network, nothing to set up.
#include <cstdio>
#include <vector>

#include "tutti/tutti.hpp"

int main() {
  float result = 0;
  // [in_process]
  tutti::in_process(4, [&](tutti::Communicator& comm) {
    std::vector<float> values(1000, static_cast<float>(comm.rank() + 1));
    all_reduce(comm, tutti::on_host(values), tutti::sum).wait();  // in place: every value is now 1 + 2 + 3 + 4
    if (comm.rank() == 0) result = values[999];
  });
  // [in_process]
  std::printf("the sum over 4 ranks is %g\n", result);
  return result == 10 ? 0 : 1;
}
