/// @file  An outsider's first program: three ranks as threads, with an operator of its own.
#include <cstdio>
#include <vector>

#include "tutti/tutti.hpp"

struct AbsMax {
  float operator()(float a, float b) const { return a * a > b * b ? a : b; }
};

int main() {
  bool right = true;
  tutti::in_process(3, [&](tutti::Communicator& comm) {
    const auto rank = static_cast<float>(comm.rank());
    std::vector<float> sums(1000, rank + 1), largest{rank, -2 * rank};
    all_reduce(comm, tutti::on_host(sums), tutti::sum).wait();
    all_reduce(comm, tutti::on_host(largest), AbsMax{}).wait();
    if (comm.rank() == 0) right = sums.front() == 6 && sums.back() == 6 && largest[0] == 2 && largest[1] == -4;
  });
  std::printf("three ranks %s\n", right ? "agree" : "do not agree");
  return right ? 0 : 1;
}
