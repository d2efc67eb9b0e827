/// @file  Calls that are begun together, and calls that go on while this rank does something else.
#include <cstddef>
#include <cstdio>
#include <vector>

#include "tutti/tutti.hpp"

namespace {

/// One step of diffusion along a ring of ranks: each needs its neighbours' edge values.
void exchange_edges(tutti::Communicator& comm, std::vector<double>& cells) {
  const int right = (comm.rank() + 1) % comm.size();
  const int left = (comm.rank() + comm.size() - 1) % comm.size();
  const std::size_t last = cells.size() - 1;
  // [group]
  tutti::Group group{comm};
  send(group, tutti::on_host(&cells[1], 1), left);  // recorded, not begun
  send(group, tutti::on_host(&cells[last - 1], 1), right);
  recv(group, tutti::on_host(&cells[0], 1), left);
  recv(group, tutti::on_host(&cells[last], 1), right);
  group.launch().wait();  // all at once: who sends first does not matter
  // [group]
}

double busy_work() {
  double total = 0;
  for (int i = 1; i < 100'000; ++i) total += 1.0 / i;
  return total;
}

}  // namespace

int main() {
  bool right = false;
  const auto body = [&](tutti::Communicator& comm) {
    std::vector<double> cells(10, comm.rank());  // the first and the last belong to the neighbours
    exchange_edges(comm, cells);

    std::vector<float> gradients(1 << 16, 1.0F);
    // [async]
    tutti::Work work = all_reduce(comm, tutti::on_host(gradients), tutti::sum);  // begun
    const double other = busy_work();                                            // gradients are not ours meanwhile
    work.wait();                                                                 // now they are; throws what went wrong
    // [async]

    if (comm.rank() != 0) return;
    std::printf("edges %g and %g, sum %g\n", cells.front(), cells.back(), gradients[0]);
    right = cells.front() == 2 && cells.back() == 1 && gradients[0] == 3 && other > 0;
  };
  // [progress_thread]
  tutti::in_process(3, body, {.progress_thread = true});  // without it, calls move on only inside wait() and done()
  // [progress_thread]
  return right ? 0 : 1;
}
