#include "emulated_cuda/engine/device_case.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "conformance/definition.hpp"
#include "conformance/random.hpp"
#include "conformance/run_case.hpp"
#include "tutti/collectives.hpp"
#include "tutti/group.hpp"

namespace tutti::emulated {

using namespace conformance;

namespace {

constexpr std::size_t guard_bytes = 64;

void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

std::uint64_t stream_of_rank(std::uint64_t seed, int rank) { return mix(seed, static_cast<std::uint64_t>(rank)); }

/// Where one side of the call lies.
struct Side {
  std::size_t buffer = 0;
  std::size_t begin = 0;  ///< bytes
  std::size_t bytes = 0;
};

struct Sides {
  Side in, out;
};

Sides sides_of(const Case& c, int rank, std::size_t size) {
  const std::size_t in_count = in_elements(c, rank), out_count = out_elements(c, rank);
  const std::size_t begin = guard_bytes + static_cast<std::size_t>(c.misaligned) * size;
  Sides sides{{0, begin, in_count * size}, {1, begin, out_count * size}};
  if (c.in_place) {
    const std::size_t part = own_part_begin(c, rank) * size;
    sides.out.buffer = 0;
    (in_count < out_count ? sides.in : sides.out).begin += part;
  }
  return sides;
}

void shift_on_device(Communicator& comm, const Case& c, const Request& request) {
  Request send = request, recv = request;
  send.collective = Collective::send;
  send.root = (comm.rank() + 1) % comm.size();
  recv.collective = Collective::recv;
  recv.root = (comm.rank() + comm.size() - 1) % comm.size();
  if (c.collective == Collective::send) {
    Group group(comm);
    group.submit(send);
    group.submit(recv);
    group.launch().wait();
  } else if (comm.rank() % 2 == 0) {
    comm.submit(send).wait();
    comm.submit(recv).wait();
  } else {
    comm.submit(recv).wait();
    comm.submit(send).wait();
  }
}

void call_on_device(Communicator& comm, const Case& c, const Request& request, std::int32_t* side) {
  const auto beside = on_device(side, 1);
  const Options options{.backend = request.options.backend};
  if (is_pairwise(c.collective)) {
    shift_on_device(comm, c, request);
    all_reduce(comm, beside, sum, options).wait();
  } else if (c.style == Style::grouped) {
    Group group(comm);
    all_reduce(group, beside, sum, options);
    group.submit(request);
    group.launch().wait();
  } else {
    Work first = comm.submit(request);
    Work second = all_reduce(comm, beside, sum, options);
    if (c.style == Style::alone) first.wait();
    second.wait();
    first.wait();
  }
}

bool nccl_can(const Case& c) {
  if (c.op == Operator::none) return true;
  if (c.type >= data_type_count - 1) return false;
  const auto type = static_cast<DataType>(c.type);
  if (type == DataType::int16 || type == DataType::uint16) return false;
  switch (c.op) {
    case Operator::bitwise_and:
    case Operator::bitwise_or:
    case Operator::bitwise_xor:
    case Operator::own:
    case Operator::own_ordered:
      return false;
    case Operator::premultiplied_sum:
      return is_float(type);
    default:
      return true;
  }
}

}  // namespace

DevicePlayground::DevicePlayground(int rank, std::size_t bytes) : bytes_(bytes) {
  int devices = 0;
  must(cudaGetDeviceCount(&devices));
  must(cudaSetDevice(rank % devices));
  for (std::byte*& buffer : buffers_) must(cudaMalloc(reinterpret_cast<void**>(&buffer), bytes));
  must(cudaMalloc(reinterpret_cast<void**>(&side_), sizeof *side_));
}
DevicePlayground::~DevicePlayground() {
  for (std::byte* buffer : buffers_) cudaFree(buffer);
  cudaFree(side_);
}

std::optional<std::string> run_on_device(Communicator& comm, const Case& c, DevicePlayground& playground,
                                         std::uint64_t seed, Backend backend) {
  const Arithmetic& kind = *arithmetic(c.type, c.op);
  const std::size_t size = kind.size(), bytes = playground.bytes();
  const int rank = comm.rank();
  const Sides sides = sides_of(c, rank, size);
  std::vector<std::byte> before[2], after[2];
  for (auto& each : before) each.assign(bytes, std::byte{0xa5});
  kind.fill(before[0].data() + sides.in.begin, sides.in.bytes / size, stream_of_rank(seed, rank));
  for (std::size_t i = 0; i < 2; ++i) {
    must(cudaMemcpy(playground.buffer(i), before[i].data(), bytes, cudaMemcpyHostToDevice));
  }
  const std::int32_t mine = rank + 1;
  must(cudaMemcpy(playground.side(), &mine, sizeof mine, cudaMemcpyHostToDevice));

  const std::vector<std::size_t> counts = counts_of(c, rank), receive_counts = receive_counts_of(c, rank);
  Request request =
      kind.request(c.collective,
                   {playground.buffer(0) + sides.in.begin, sides.in.bytes / size,
                    playground.buffer(sides.out.buffer) + sides.out.begin, sides.out.bytes / size, count_of(c)},
                   rank, {});
  request.memory = Memory::device;
  request.options.backend = backend;
  request.options.algorithm = c.algorithm;
  request.options.protocol = c.protocol;
  request.options.deterministic = c.deterministic;
  if (c.collective == Collective::all_to_all_v) {
    request.count = 0;
  } else if (!counts.empty()) {
    request.count = counts[static_cast<std::size_t>(rank)];
  }
  request.root = root_of(c);
  request.counts = counts;
  request.receive_counts = receive_counts;
  call_on_device(comm, c, request, playground.side());

  std::int32_t total = 0;
  must(cudaMemcpy(&total, playground.side(), sizeof total, cudaMemcpyDeviceToHost));
  if (total != c.ranks * (c.ranks + 1) / 2) return "the call beside it gave a wrong sum";
  for (std::size_t i = 0; i < 2; ++i) {
    after[i].resize(bytes);
    must(cudaMemcpy(after[i].data(), playground.buffer(i), bytes, cudaMemcpyDeviceToHost));
    for (std::size_t at = 0; at < bytes; ++at) {
      const bool is_out = i == sides.out.buffer && at >= sides.out.begin && at < sides.out.begin + sides.out.bytes;
      if (!is_out && before[i][at] != after[i][at]) return fmt::format("byte {} of buffer {} was changed", at, i);
    }
  }
  std::vector<std::vector<std::byte>> inputs(static_cast<std::size_t>(c.ranks));
  for (int from = 0; from < c.ranks; ++from) {
    std::vector<std::byte>& input = inputs[static_cast<std::size_t>(from)];
    input.resize(in_elements(c, from) * size + 1);
    kind.fill(input.data(), in_elements(c, from), stream_of_rank(seed, from));
  }
  Rounding rounding{};
  if (reduces(c.collective)) rounding = {false, c.ranks, c.ranks};
  for (const Part& part : definition(c, rank)) {
    std::vector<const std::byte*> sources;
    for (const Source& source : part.sources) {
      sources.push_back(inputs[static_cast<std::size_t>(source.rank)].data() + source.begin * size);
    }
    const std::byte* const actual = after[sides.out.buffer].data() + sides.out.begin + part.begin * size;
    if (const auto wrong = kind.compare(actual, part.count, sources, rounding)) {
      return fmt::format("from element {} on: {}", part.begin, *wrong);
    }
  }
  return std::nullopt;
}

namespace {

/// Of a covering array, what `fit` makes fit and lets pass: one in `every`, none twice.
template <class Fit>
std::vector<Case> fitting(int least_ranks, int most_ranks, std::uint64_t seed, std::size_t every, Fit fit) {
  std::vector<Case> cases;
  std::size_t index = seed % every;
  for (Case c : covering(least_ranks, most_ranks, seed).cases) {
    c.home = Home::own;
    c.check_across_ranks = c.progress_thread = false;
    if (!fit(c) || unsupported(c) != nullptr) continue;
    if (std::find(cases.begin(), cases.end(), c) == cases.end() && index++ % every == 0) cases.push_back(c);
  }
  return cases;
}

}  // namespace

std::vector<Case> cases_for_nccl(int least_ranks, int most_ranks, std::uint64_t seed, std::size_t every) {
  return fitting(least_ranks, most_ranks, seed, every, [](Case& c) {
    c.algorithm = Algorithm::automatic;
    c.protocol = Protocol::automatic;
    c.deterministic = false;
    return nccl_can(c);
  });
}

std::vector<Case> cases_for_kernels(int least_ranks, int most_ranks, std::uint64_t seed, std::size_t every) {
  return fitting(least_ranks, most_ranks, seed, every, [](Case& c) {
    if (c.protocol == Protocol::window) c.protocol = Protocol::automatic;
    return c.op == Operator::none ||
           (c.type < data_type_count - 1 && c.op != Operator::own && c.op != Operator::own_ordered);
  });
}

Failures run_all_on_device(Communicator& comm, const std::vector<Case>& cases, std::uint64_t seed, Backend backend) {
  std::size_t room = 1;
  for (const Case& c : cases) {
    if (c.ranks == comm.size()) room = std::max(room, room_for(c));
  }
  DevicePlayground playground(comm.rank(), room);
  Failures failures;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].ranks != comm.size()) continue;
    const auto wrong = run_on_device(comm, cases[i], playground, mix(seed, i), backend);
    if (wrong && failures.size() < 10) {
      failures.push_back(fmt::format("rank {}: {}: {}", comm.rank(), describe(cases[i]), *wrong));
    }
  }
  return failures;
}

}  // namespace tutti::emulated
