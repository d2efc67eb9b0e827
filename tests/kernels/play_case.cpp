#include "kernels/play_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "conformance/definition.hpp"
#include "conformance/random.hpp"
#include "kernels/chunk.hpp"
#include "kernels/host_kernels.hpp"

namespace tutti::kernels::test {

namespace {

using namespace tutti::conformance;

constexpr std::size_t guard = 64;

/// A rank's buffers, with bytes around them that nobody may touch.
struct Buffers {
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{128}); }
  };
  std::unique_ptr<std::byte[], Free> memory[2];
  std::size_t bytes = 0;
  std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::vector<std::byte> scratch{};
  plan::Layout layout{};
  std::vector<std::byte> before[2]{};

  void make(std::size_t size) {
    bytes = size;
    for (auto& each : memory) {
      each.reset(static_cast<std::byte*>(::operator new[](size, std::align_val_t{128})));
      std::memset(each.get(), 0xa5, size);
    }
  }
  void remember() {
    for (int i = 0; i < 2; ++i) before[i].assign(memory[i].get(), memory[i].get() + bytes);
  }
  /// Has anything changed outside of [from, to)?
  bool touched(const std::byte* from, const std::byte* to) const {
    for (int i = 0; i < 2; ++i) {
      for (std::size_t b = 0; b < bytes; ++b) {
        const std::byte* const at = memory[i].get() + b;
        if (*at != before[i][b] && !(at >= from && at < to)) return true;
      }
    }
    return false;
  }
};

Rounding rounding_of(Algorithm algorithm, int ranks) {
  switch (algorithm) {
    case Algorithm::ring:
      return {false, ranks - 1, ranks - 1};
    case Algorithm::tree:
    case Algorithm::halving_doubling:
      return {false, ranks, ranks};
    default:
      return {};
  }
}

/// A shift around the ranks: each sends to the right and receives from the left.
struct Schedules {
  plan::Schedule first;
  std::optional<plan::Schedule> second{};
};

Schedules schedules_of(const Case& c, int rank) {
  if (is_pairwise(c.collective)) {
    const int right = (rank + 1) % c.ranks;
    const int left = (rank + c.ranks - 1) % c.ranks;
    return {{Collective::send, Algorithm::one_shot, false, c.ranks, right},
            plan::Schedule{Collective::recv, Algorithm::one_shot, false, c.ranks, left}};
  }
  return {{c.collective, c.algorithm, c.protocol == Protocol::window, c.ranks, root_of(c)}};
}

}  // namespace

const char* not_played(const Case& c) {
  if (const char* reason = unsupported(c)) return reason;
  if (c.algorithm == Algorithm::automatic || c.algorithm == Algorithm::direct) return "a question";
  if (c.protocol == Protocol::automatic) return "a question";
  const plan::Schedule schedule{c.collective, c.algorithm, c.protocol == Protocol::window, c.ranks, root_of(c)};
  if (c.in_place && !plan::works_in_place(schedule)) return "not in place";
  if (c.op == Operator::own || c.op == Operator::own_ordered) return "a function of a user's own";
  return nullptr;
}

std::optional<std::string> play_case(VirtualDevices& devices, const Case& c, std::uint64_t seed,
                                     const PlayOptions& options) {
  const Arithmetic& kind = *arithmetic(c.type, c.op);
  const std::size_t size = kind.size();
  const auto ranks = static_cast<std::size_t>(c.ranks);
  const bool packets = c.protocol == Protocol::packet;
  std::vector<Buffers> buffers(ranks);
  std::vector<std::byte*> windows_in;
  std::vector<std::byte*> windows_out;
  std::vector<RankLaunch> first(ranks);
  std::vector<RankLaunch> second;
  std::size_t most = 1;
  for (int rank = 0; rank < c.ranks; ++rank) most = std::max({most, in_elements(c, rank), out_elements(c, rank)});
  for (int rank = 0; rank < c.ranks; ++rank) {
    Buffers& mine = buffers[static_cast<std::size_t>(rank)];
    const std::size_t shift = guard + static_cast<std::size_t>(c.misaligned) * size;
    mine.make(most * size + shift + guard);
    mine.in = mine.memory[0].get() + shift;
    mine.out = mine.memory[1].get() + shift;
    if (c.in_place) {
      std::byte* const part = mine.in + own_part_begin(c, rank) * size;
      std::byte* const whole = mine.in;
      const bool in_is_part = in_elements(c, rank) < out_elements(c, rank);
      mine.in = in_is_part ? part : whole;
      mine.out = in_is_part ? whole : part;
    }
    windows_in.push_back(mine.in);
    windows_out.push_back(mine.out);
  }
  for (int rank = 0; rank < c.ranks; ++rank) {
    Buffers& mine = buffers[static_cast<std::size_t>(rank)];
    const Schedules schedules = schedules_of(c, rank);
    const Request request = kind.request(
        c.collective, {mine.in, in_elements(c, rank), mine.out, out_elements(c, rank), count_of(c)}, rank, {});
    const std::vector<std::size_t> counts = counts_of(c, rank);
    const std::vector<std::size_t> receive_counts = receive_counts_of(c, rank);
    mine.layout = plan::Layout(schedules.first, rank, count_of(c), size, counts, receive_counts);
    mine.scratch.resize(mine.layout.scratch_elements() * size + 16);

    RankLaunch& mine_first = first[static_cast<std::size_t>(rank)];
    Arguments& call = mine_first.call;
    call = devices.arguments(rank);
    call.schedule = schedules.first;
    call.layout = mine.layout;
    call.channels = options.channels;
    call.in = mine.in;
    call.out = mine.out;
    call.scratch = mine.scratch.data();
    call.windows_in = windows_in.data();
    call.windows_out = windows_out.data();
    call.element_size = size;
    call.chunk = chunk_of(call.schedule, call.layout, call.shape, call.channels, packets, size);
    call.rounds = plan::rounds(call.layout, call.chunk);
    put_operator(call, request.op.kind);
    call.factor = request.op.scale();
    mine_first.kernel =
        host_kernel(static_cast<DataType>(c.type), reduces(c.collective) ? request.op.kind : Op::none, packets);
    if (mine_first.kernel == nullptr) return "there is no kernel";
    if (schedules.second) {
      second.push_back(mine_first);
      second.back().call.schedule = *schedules.second;
    }
  }
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    const std::uint64_t round_seed = seed + static_cast<std::uint64_t>(repeat);
    for (int rank = 0; rank < c.ranks; ++rank) {
      Buffers& mine = buffers[static_cast<std::size_t>(rank)];
      kind.fill(mine.in, in_elements(c, rank), mix(round_seed, static_cast<std::uint64_t>(rank)));
      mine.remember();
    }
    // A send and a receive of one rank are two launches at once, as on two streams.
    std::vector<RankLaunch> both = first;
    both.insert(both.end(), second.begin(), second.end());
    if (!launch(both, options.threads)) return "a block gave up";

    for (int rank = 0; rank < c.ranks; ++rank) {
      const Buffers& mine = buffers[static_cast<std::size_t>(rank)];
      if (mine.touched(mine.out, mine.out + out_elements(c, rank) * size)) {
        return fmt::format("rank {}: something beside its output was changed", rank);
      }
      for (const Part& part : definition(c, rank)) {
        std::vector<std::vector<std::byte>> inputs;
        std::vector<const std::byte*> sources;
        for (const Source& source : part.sources) {
          std::vector<std::byte>& input = inputs.emplace_back(in_elements(c, source.rank) * size + 1);
          kind.fill(input.data(), in_elements(c, source.rank),
                    mix(round_seed, static_cast<std::uint64_t>(source.rank)));
          sources.push_back(input.data() + source.begin * size);
        }
        if (const auto wrong =
                kind.compare(mine.out + part.begin * size, part.count, sources, rounding_of(c.algorithm, c.ranks))) {
          return fmt::format("rank {}, from element {} on: {}", rank, part.begin, *wrong);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace tutti::kernels::test
