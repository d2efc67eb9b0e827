/// @file  simulate: the same call on a machine that is here, and on a thousand GPUs that are not.
#include <cstdio>
#include <vector>

#include "tutti/collectives.hpp"
#include "tutti/simulation.hpp"
#include "tutti/topology/preset_clusters.hpp"

int main() {
  // [call]
  const std::vector<float> gradients(1 << 20);
  std::vector<float> sums(gradients.size());
  const tutti::Simulation pod{
      tutti::preset_cluster("superpod-1024"), 0, {.arrangement = tutti::Arrangement::two_level}};
  const auto run = all_reduce(pod, tutti::on_host(gradients), tutti::on_host(sums), tutti::sum);
  std::printf("%d GPUs: %.1f us, %.1f GB/s, limited by %s\n", pod.size(), run.us, run.bus_gbs, run.bottleneck.c_str());
  // [call]
  return run.us > 0 ? 0 : 1;
}
