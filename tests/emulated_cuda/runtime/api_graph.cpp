/// @file  cuda*: graphs: capture of streams, nodes by hand, instances and their launches.
#include <algorithm>
#include <atomic>

#include "emulated_cuda/runtime/queue.hpp"

using namespace tutti::emulated;

namespace {

using GraphHandle = std::shared_ptr<GraphValue>;

GraphHandle& graph_of(cudaGraph_t graph) { return *reinterpret_cast<GraphHandle*>(graph); }
GraphHandle& instance_of(cudaGraphExec_t instance) { return *reinterpret_cast<GraphHandle*>(instance); }

/// Node i of a graph is the handle i + 1.
cudaGraphNode_t node_handle(std::size_t index) { return reinterpret_cast<cudaGraphNode_t>(index + 1); }
int node_index(cudaGraphNode_t node) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(node)) - 1; }

std::atomic<unsigned long long> captures{0};

/// Every stream of any device that takes part in the capture of `graph`.
std::vector<Queue*> streams_in(const GraphHandle& graph) {
  std::vector<Queue*> all;
  for (int number = 0; number < device_count(); ++number) {
    const std::lock_guard lock(device(number).mutex);
    for (Queue* queue : device(number).queues) {
      if (queue->capture.graph == graph) all.push_back(queue);
    }
  }
  return all;
}

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                     cudaGraphNodeType type, Task task) {
  GraphValue& mine = *graph_of(graph);
  std::vector<int> indices;
  for (std::size_t i = 0; i < count; ++i) indices.push_back(node_index(after[i]));
  mine.nodes.push_back({type, std::move(task), std::move(indices)});
  *node = node_handle(mine.nodes.size() - 1);
  return cudaSuccess;
}

struct UserObject {
  void* pointer;
  cudaHostFn_t destroy;
};

}  // namespace

TUTTI_EMULATED_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  TUTTI_EMULATED_BEGIN("cudaStreamBeginCapture");
  if (stream == nullptr || stream == cudaStreamLegacy) return remember(cudaErrorStreamCaptureUnsupported);
  Queue& queue = *queue_of(stream);
  if (queue.capture.status != cudaStreamCaptureStatusNone) return remember(cudaErrorIllegalState);
  queue.capture = {cudaStreamCaptureStatusActive, true, ++captures, std::make_shared<GraphValue>(), {}};
  return cudaSuccess;
}

TUTTI_EMULATED_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Queue& queue = *queue_of(stream);
  *graph = nullptr;
  if (queue.capture.status == cudaStreamCaptureStatusNone) return remember(cudaErrorIllegalState);
  if (!queue.capture.origin) return remember(cudaErrorStreamCaptureUnmatched);
  const GraphHandle captured = queue.capture.graph;
  // Whatever another stream did must come before where this one has got to.
  std::vector<bool> joined(captured->nodes.size(), false);
  std::vector<int> left = queue.capture.last;
  while (!left.empty()) {
    const auto node = static_cast<std::size_t>(left.back());
    left.pop_back();
    if (joined[node]) continue;
    joined[node] = true;
    left.insert(left.end(), captured->nodes[node].after.begin(), captured->nodes[node].after.end());
  }
  for (Queue* other : streams_in(captured)) other->capture = {};
  queue.capture = {};
  if (std::find(joined.begin(), joined.end(), false) != joined.end()) return remember(cudaErrorStreamCaptureUnjoined);
  *graph = reinterpret_cast<cudaGraph_t>(new GraphHandle(captured));
  return cudaSuccess;
}

TUTTI_EMULATED_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = queue_of(stream)->capture.status;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                        unsigned long long* id, cudaGraph_t* graph,
                                                        const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                                        size_t* count) {
  Queue& queue = *queue_of(stream);
  *status = queue.capture.status;
  if (id != nullptr) *id = queue.capture.id;
  if (graph != nullptr) *graph = reinterpret_cast<cudaGraph_t>(&queue.capture.graph);  // borrowed
  thread_local std::vector<cudaGraphNode_t> handles;
  handles.clear();
  for (const int node : queue.capture.last) handles.push_back(node_handle(static_cast<std::size_t>(node)));
  if (after != nullptr) *after = handles.data();
  if (edges != nullptr) *edges = nullptr;
  if (count != nullptr) *count = handles.size();
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  thread_local cudaStreamCaptureMode mine = cudaStreamCaptureModeGlobal;
  std::swap(mine, *mode);
  return cudaSuccess;
}

TUTTI_EMULATED_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = reinterpret_cast<cudaGraph_t>(new GraphHandle(std::make_shared<GraphValue>()));
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* after, size_t count,
                                                    const cudaHostNodeParams* what) {
  return add_node(node, graph, after, count, cudaGraphNodeTypeHost, [f = what->fn, user = what->userData] { f(user); });
}
TUTTI_EMULATED_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* after, size_t count) {
  return add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, {});
}
TUTTI_EMULATED_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  const std::size_t all = graph_of(graph)->nodes.size();
  if (nodes != nullptr) {
    for (std::size_t i = 0; i < std::min(all, *count); ++i) nodes[i] = node_handle(i);
  }
  *count = all;
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<GraphHandle*>(graph);
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long) {
  TUTTI_EMULATED_BEGIN("cudaGraphInstantiate");
  *instance = reinterpret_cast<cudaGraphExec_t>(new GraphHandle(graph_of(graph)));
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* instance, cudaGraph_t graph,
                                                             unsigned long long flags) {
  return cudaGraphInstantiate(instance, graph, flags);
}
TUTTI_EMULATED_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
  delete reinterpret_cast<GraphHandle*>(instance);
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t instance, cudaGraph_t graph,
                                                   cudaGraphExecUpdateResultInfo* result) {
  const bool same = instance_of(instance)->nodes.size() == graph_of(graph)->nodes.size();
  if (result != nullptr) {
    result->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
  }
  if (!same) return remember(cudaErrorGraphExecUpdateFailure);
  instance_of(instance) = graph_of(graph);
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
TUTTI_EMULATED_API cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream) {
  TUTTI_EMULATED_BEGIN("cudaGraphLaunch");
  queue_of(stream)->add([graph = instance_of(instance)] { run_graph(graph); });
  return cudaSuccess;
}

TUTTI_EMULATED_API cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy,
                                                    unsigned, unsigned) {
  *object = reinterpret_cast<cudaUserObject_t>(new UserObject{pointer, destroy});
  return cudaSuccess;
}
TUTTI_EMULATED_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned,
                                                         unsigned) {
  const auto* mine = reinterpret_cast<UserObject*>(object);
  graph_of(graph)->at_end.push_back([pointer = mine->pointer, destroy = mine->destroy] { destroy(pointer); });
  delete mine;
  return cudaSuccess;
}
