#include "conformance/run_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <vector>

#include "conformance/definition.hpp"
#include "conformance/random.hpp"
#include "tutti/collectives.hpp"
#include "tutti/group.hpp"

namespace tutti::conformance {

namespace {

constexpr std::size_t guard = 64;  // bytes around each buffer that nobody may touch

std::uint64_t stream_of(std::uint64_t seed, int rank) { return mix(seed, static_cast<std::uint64_t>(rank)); }

/// The most that any rank has in one buffer, in elements.
std::size_t most_elements(const Case& c) {
  std::size_t most = 1;
  for (int rank = 0; rank < c.ranks; ++rank) most = std::max({most, in_elements(c, rank), out_elements(c, rank)});
  return most;
}

/// A buffer with what lies around it, and what all of it held before the call.
struct Region {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::vector<std::byte> before{};

  void remember() { before.assign(data - guard, data + bytes + guard); }
  /// The first byte that has changed outside of [from, to); nothing when there is none.
  std::optional<std::ptrdiff_t> changed(const std::byte* from, const std::byte* to) const {
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::byte* const at = data - guard + i;
      if (*at != before[i] && !(at >= from && at < to)) return at - data;
    }
    return std::nullopt;
  }
};

/// The call that stands beside the one under test.
class SideCall {
 public:
  explicit SideCall(const Communicator& comm) : size_(comm.size()), values_{comm.rank(), 1, -comm.rank()} {}
  Span<std::int32_t, Memory::host> span() { return on_host(values_.data(), values_.size()); }
  bool right() const {
    const std::int32_t sum = size_ * (size_ - 1) / 2;
    return values_ == std::array<std::int32_t, 3>{sum, size_, -sum};
  }

 private:
  std::int32_t size_;
  std::array<std::int32_t, 3> values_;
};

/// Everybody sends to the right and receives from the left, as one group or one after the other.
void shift(Communicator& comm, const Case& c, const Request& request) {
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

void make_call(Communicator& comm, const Case& c, const Request& request, SideCall& side) {
  switch (c.style) {
    case Style::alone:
      is_pairwise(c.collective) ? shift(comm, c, request) : comm.submit(request).wait();
      all_reduce(comm, side.span(), sum).wait();
      break;
    case Style::outstanding: {
      Work first = is_pairwise(c.collective) ? Work() : comm.submit(request);
      Work second = all_reduce(comm, side.span(), sum);
      if (is_pairwise(c.collective)) shift(comm, c, request);
      second.wait();
      first.wait();
      break;
    }
    case Style::grouped: {
      Group group(comm);
      all_reduce(group, side.span(), sum);
      if (is_pairwise(c.collective)) {
        Work work = group.launch();
        shift(comm, c, request);
        work.wait();
      } else {
        group.submit(request);
        group.launch().wait();
      }
      break;
    }
  }
}

/// How often a contribution is combined and rounded, by the pattern that was chosen (docs/numerics.md).
Rounding rounding_of(const Decision& decision, int ranks) {
  int doublings = 0;
  while ((1 << (doublings + 1)) <= ranks) ++doublings;
  switch (decision.algorithm) {
    case Algorithm::ring:
      return {false, ranks - 1, ranks - 1};
    case Algorithm::tree:  // under the root it is a hop deeper; a step adds two children to its own
      return {false, doublings + 1, 2 * (doublings + 1)};
    case Algorithm::halving_doubling:  // a helper hands over before the halving
      return {false, doublings + 1, doublings + 1};
    default:
      return {.rank_order = true};
  }
}

}  // namespace

void Playground::Free::operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{128}); }

Playground::Owned Playground::own(std::size_t bytes) {
  return Owned(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{128})));
}

Playground::Playground(Communicator& comm, std::size_t bytes, bool with_allocated)
    : bytes_(bytes), in_(own(bytes)), out_(own(bytes)) {
  if (!with_allocated) return;
  allocated_in_ = comm.allocate<std::byte>(bytes);
  allocated_out_ = comm.allocate<std::byte>(bytes);
}

std::size_t room_for(const Case& c) {
  const std::size_t size = arithmetic(c.type, c.op)->size();
  return (most_elements(c) + static_cast<std::size_t>(c.misaligned)) * size + 2 * guard;
}

std::optional<std::string> run_case(Communicator& comm, const Case& c, Playground& playground, std::uint64_t seed) {
  const Arithmetic& kind = *arithmetic(c.type, c.op);
  const std::size_t size = kind.size();
  const int rank = comm.rank();
  const std::size_t in_count = in_elements(c, rank);
  const std::size_t out_count = out_elements(c, rank);

  // Places: the guards are part of the playground.
  const std::size_t shift = guard + static_cast<std::size_t>(c.misaligned) * size;
  Region in{playground.in(c.home) + shift, in_count * size};
  Region out{playground.out(c.home) + shift, out_count * size};
  if (c.in_place) {
    const std::size_t part = own_part_begin(c, rank) * size;
    (in_count < out_count ? in.data : out.data) = playground.in(c.home) + shift + part;
    (in_count < out_count ? out.data : in.data) = playground.in(c.home) + shift;
  }
  for (const Region& region : {in, out}) std::memset(region.data - guard, 0xa5, region.bytes + 2 * guard);
  kind.fill(in.data, in_count, stream_of(seed, rank));
  in.remember();
  out.remember();

  // The call.
  const std::vector<std::size_t> counts = counts_of(c, rank);
  const std::vector<std::size_t> receive_counts = receive_counts_of(c, rank);
  Request request = kind.request(c.collective, {in.data, in_count, out.data, out_count, count_of(c)}, rank,
                                 {.algorithm = c.algorithm, .protocol = c.protocol, .deterministic = c.deterministic});
  if (c.collective == Collective::all_to_all_v) {
    request.count = 0;
  } else if (!counts.empty()) {
    request.count = counts[static_cast<std::size_t>(rank)];
  }
  request.root = root_of(c);
  request.counts = counts;
  request.receive_counts = receive_counts;
  Rounding rounding{};
  if (!is_pairwise(c.collective)) {
    const Decision decision = comm.decide(request);
    const bool any_order = decision.backend != Backend::host && !c.deterministic && kind.commutes();
    rounding = any_order ? Rounding{false, c.ranks, c.ranks} : rounding_of(decision, c.ranks);
  }
  SideCall side(comm);
  make_call(comm, c, request, side);

  // What it has done.
  if (!side.right()) return "the call beside it gave a wrong sum";
  const std::byte* const out_end = out.data + out.bytes;
  if (const auto at = in.changed(out.data, out_end))
    return fmt::format("byte {} of in, of {}, was changed", *at, in.bytes);
  if (const auto at = out.changed(out.data, out_end)) {
    return fmt::format("byte {} beside out, of {}, was changed", *at, out.bytes);
  }
  std::vector<std::vector<std::byte>> inputs(static_cast<std::size_t>(c.ranks));
  const auto input_of = [&](int from) -> const std::byte* {
    std::vector<std::byte>& input = inputs[static_cast<std::size_t>(from)];
    if (input.empty()) {
      input.resize(in_elements(c, from) * size + 1);
      kind.fill(input.data(), in_elements(c, from), stream_of(seed, from));
    }
    return input.data();
  };
  for (const Part& part : definition(c, rank)) {
    std::vector<const std::byte*> sources;
    for (const Source& source : part.sources) sources.push_back(input_of(source.rank) + source.begin * size);
    if (const auto wrong = kind.compare(out.data + part.begin * size, part.count, sources, rounding)) {
      return part.begin == 0 ? *wrong : fmt::format("from element {} on: {}", part.begin, *wrong);
    }
  }
  return std::nullopt;
}

}  // namespace tutti::conformance
