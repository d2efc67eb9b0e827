/// @file  explain: how a communicator would run a call, and why not otherwise.
#include <iostream>
#include <vector>

#include "tutti/tutti.hpp"

int main() {
  tutti::in_process(2, [](tutti::Communicator& comm) {
    if (comm.rank() != 0) return;  // explaining waits for nobody
    std::vector<float> gradients(16384);
    // [call]
    const auto told = all_reduce(tutti::Explain{comm}, tutti::on_host(gradients), tutti::sum);
    std::cout << told;  // the choice, the other ways with their reasons, the sizes where the choice changes
    // [call]
  });
  return 0;
}
