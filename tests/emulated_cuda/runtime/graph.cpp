#include "emulated_cuda/runtime/graph.hpp"

#include <condition_variable>
#include <mutex>

#include "emulated_cuda/runtime/pool.hpp"

namespace tutti::emulated {

namespace {

/// One run of a graph.
struct Run {
  explicit Run(std::shared_ptr<const GraphValue> of) : graph(std::move(of)), left(graph->nodes.size()) {
    for (const GraphNode& node : graph->nodes) waits.push_back(node.after.size());
  }

  std::shared_ptr<const GraphValue> graph;
  std::mutex mutex;
  std::condition_variable ended;
  std::vector<std::size_t> waits;  ///< [nodes] how many each still comes after
  std::size_t left;
};

void start(const std::shared_ptr<Run>& run, std::size_t index);

void finish(const std::shared_ptr<Run>& run, std::size_t index) {
  std::vector<std::size_t> ready;
  {
    const std::lock_guard lock(run->mutex);
    for (std::size_t other = 0; other < run->graph->nodes.size(); ++other) {
      for (const int after : run->graph->nodes[other].after) {
        if (static_cast<std::size_t>(after) == index && --run->waits[other] == 0) ready.push_back(other);
      }
    }
    if (--run->left == 0) run->ended.notify_one();
  }
  for (const std::size_t other : ready) start(run, other);
}

void start(const std::shared_ptr<Run>& run, std::size_t index) {
  run_beside([run, index] {
    if (run->graph->nodes[index].task) run->graph->nodes[index].task();
    finish(run, index);
  });
}

}  // namespace

void run_graph(const std::shared_ptr<const GraphValue>& graph) {
  if (graph->nodes.empty()) return;
  const auto run = std::make_shared<Run>(graph);
  for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
    if (graph->nodes[i].after.empty()) start(run, i);
  }
  std::unique_lock lock(run->mutex);
  run->ended.wait(lock, [&] { return run->left == 0; });
}

}  // namespace tutti::emulated
