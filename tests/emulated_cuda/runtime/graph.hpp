/// @file  Graph: operations with what each comes after, captured from streams or put together, and run as often as wanted.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

namespace tutti::emulated {

using Task = std::function<void()>;

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  Task task;
  std::vector<int> after;  ///< nodes of the same graph
};

struct GraphValue {
  std::vector<GraphNode> nodes;
  std::vector<std::function<void()>> at_end;  ///< user objects: told when the graph is gone
  ~GraphValue() {
    for (const auto& told : at_end) told();
  }
};

/// What a stream that is being captured adds to.
struct Capture {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  bool origin = false;  ///< it began here, not by waiting for an event of another stream
  unsigned long long id = 0;
  std::shared_ptr<GraphValue> graph{};
  std::vector<int> last{};  ///< what the next node comes after
};

/// Runs every node when those it comes after have ended, branches side by side. Returns when all have.
void run_graph(const std::shared_ptr<const GraphValue>& graph);

}  // namespace tutti::emulated
