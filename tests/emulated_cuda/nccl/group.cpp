#include "emulated_cuda/nccl/group.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "emulated_cuda/nccl/communicator.hpp"

namespace tutti::emulated_nccl {

namespace {

struct Said {
  ncclComm* communicator;
  cudaStream_t stream;
  Call call;
};
thread_local int depth = 0;
thread_local std::vector<Said> said;
thread_local ncclResult_t first_error = ncclSuccess;

ncclResult_t expect_on_device(const ncclComm& c, const void* pointer, const char* call, const char* which) {
  cudaPointerAttributes facts{};
  if (const cudaError_t error = cudaPointerGetAttributes(&facts, pointer)) {
    return fail(ncclUnhandledCudaError, std::string("Cuda failure '") + cudaGetErrorString(error) + "'");
  }
  if (facts.type == cudaMemoryTypeUnregistered || (facts.type == cudaMemoryTypeDevice && facts.device != c.device)) {
    return fail(ncclInvalidArgument,
                std::string(call) + " : " + which + " is not a pointer of device " + std::to_string(c.device));
  }
  return ncclSuccess;
}

/// One job for each communicator and stream, in the order in which they came up.
ncclResult_t put_into_streams(std::vector<Said> all) {
  std::vector<std::pair<cudaStream_t, Job>> jobs;
  for (Said& each : all) {
    Job* mine = nullptr;
    for (auto& [stream, job] : jobs) {
      if (stream == each.stream && job.communicator == each.communicator) mine = &job;
    }
    if (mine == nullptr) {
      jobs.push_back({each.stream, Job{each.communicator, {}}});
      mine = &jobs.back().second;
    }
    mine->calls.push_back(each.call);
  }
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess) return fail(ncclUnhandledCudaError, "a lost device");
  ncclResult_t result = ncclSuccess;
  for (auto& [stream, job] : jobs) {
    cudaSetDevice(job.communicator->device);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (stream != nullptr) cudaStreamIsCapturing(stream, &status);
    if (status == cudaStreamCaptureStatusNone) job.turn = job.communicator->next_turn++;
    // A graph keeps its jobs: they live as long as the process.
    auto* kept = new Job(std::move(job));
    const auto run = [](void* pointer) {
      auto* mine = static_cast<Job*>(pointer);
      carry_out(*mine);
      if (mine->turn >= 0) delete mine;
    };
    if (const cudaError_t error = cudaLaunchHostFunc(stream, run, kept)) {
      result = fail(ncclUnhandledCudaError, std::string("Cuda failure '") + cudaGetErrorString(error) + "'");
    }
  }
  cudaSetDevice(before);
  return result;
}

}  // namespace

ncclResult_t say(ncclComm* c, const Call& call, cudaStream_t stream) {
  const char* name = name_of(call.kind);
  ncclResult_t result = expect_usable(c, name);
  const bool uses_root = call.kind == Kind::broadcast || call.kind == Kind::reduce || call.kind == Kind::gather ||
                         call.kind == Kind::scatter || call.kind == Kind::send || call.kind == Kind::recv;
  if (result == ncclSuccess && uses_root && (call.root < 0 || call.root >= c->ranks)) {
    result = fail(ncclInvalidArgument, std::string(name) + " : invalid root");
  }
  if (result == ncclSuccess && size_of(call.type) == 0) result = fail(ncclInvalidArgument, "invalid type");
  if (result == ncclSuccess && call.in != nullptr && call.count > 0) {
    result = expect_on_device(*c, call.in, name, "sendbuff");
  }
  if (result == ncclSuccess && call.out != nullptr && call.count > 0) {
    result = expect_on_device(*c, call.out, name, "recvbuff");
  }
  if (result != ncclSuccess) {
    if (depth > 0 && first_error == ncclSuccess) first_error = result;
    return result;
  }
  said.push_back({c, stream, call});
  if (depth > 0) return ncclSuccess;
  depth = 1;
  return group_end();
}

ncclResult_t group_start() {
  ++depth;
  return ncclSuccess;
}

ncclResult_t group_end() {
  if (depth == 0) return fail(ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
  if (--depth > 0) return ncclSuccess;
  std::vector<Said> all = std::exchange(said, {});
  if (const ncclResult_t error = std::exchange(first_error, ncclSuccess)) return error;
  if (all.empty()) return ncclSuccess;
  ncclComm* first = all.front().communicator;
  if (first->blocking || slow_ms() == 0) return put_into_streams(std::move(all));
  // Taken in by a thread of NCCL's own, a little later.
  std::set<ncclComm*> communicators;
  for (const Said& each : all) communicators.insert(each.communicator);
  for (ncclComm* c : communicators) {
    c->state = ncclInProgress;
    if (c->background.joinable()) c->background.join();
  }
  first->background = std::thread([all = std::move(all), communicators] {
    std::this_thread::sleep_for(std::chrono::milliseconds(slow_ms()));
    const ncclResult_t result = put_into_streams(all);
    for (ncclComm* c : communicators) c->state = result;
  });
  return ncclInProgress;
}

}  // namespace tutti::emulated_nccl
