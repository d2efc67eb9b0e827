/// @file  Memory that all ranks of the host reach, results that are the same to the last bit, and ranks in rows.
// plain:
// torchrun: 2 4
// mpirun: 2
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "tutti/tutti.hpp"

namespace {

/// A sum of terms of very different size: any other order of adding shows in the last bits.
std::vector<float> summed(tutti::Communicator& comm) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1.0F / static_cast<float>(1 + i + 7 * static_cast<std::size_t>(comm.rank()));
  }
  // [deterministic]
  const tutti::Options reproducible{.deterministic = true};  // the same bits in every run with so many ranks
  all_reduce(comm, tutti::on_host(values), tutti::sum, reproducible).wait();
  // [deterministic]
  return values;
}

int sum_of_neighbours(tutti::Communicator& comm) {
  // [split]
  auto pair = comm.split(comm.rank() / 2);            // collective: ranks of one color come together
  auto rest = comm.split(comm.rank() == 0 ? -1 : 0);  // a negative color: takes part, gets nothing
  // [split]
  std::vector<int> ranks{comm.rank()};
  all_reduce(*pair, tutti::on_host(ranks), tutti::sum).wait();
  if (rest) barrier(*rest).wait();
  return ranks[0];
}

}  // namespace

int main() {
  try {
    tutti::Communicator comm{tutti::from_environment(), tutti::config_from_environment()};
    // [allocate]
    tutti::Buffer<float> gradients = comm.allocate<float>(1 << 20);  // collective, zeroed; goes with its last copy
    std::fill(gradients.begin(), gradients.end(), static_cast<float>(comm.rank()));
    all_reduce(comm, tutti::on_host(gradients), tutti::average)
        .wait();  // the ranks read one another's memory: no copies
    // [allocate]
    const float mean = 0.5F * static_cast<float>(comm.size() - 1);
    const bool averaged = std::all_of(gradients.begin(), gradients.end(), [&](float x) { return x == mean; });

    const bool same = summed(comm) == summed(comm);
    const int first = comm.rank() / 2 * 2;
    const int pair = first + 1 < comm.size() ? 2 * first + 1 : first;
    const bool right = averaged && same && sum_of_neighbours(comm) == pair;
    if (comm.rank() == 0) std::printf("%d ranks: mean %g, %s\n", comm.size(), mean, right ? "all is right" : "wrong");
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
