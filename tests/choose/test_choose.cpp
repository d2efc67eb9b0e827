/// @file  The choice as a pure function: it depends on nothing but what is equal on all ranks, keeps to what it is told,
/// and never decides for something that cannot run.
#include "choose/choose.hpp"

#include <initializer_list>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tutti/base/error.hpp"
#include "tutti/plan/schedule.hpp"

using namespace tutti;

namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 100, 127, 128, 129, 2047, 2048, 2049, 8192, 65536, 1 << 20, 1 << 26};
constexpr int rank_counts[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 64};

Facts facts_of(int ranks, bool one_process = false, bool has_segments = false) {
  return {.ranks = ranks,
          .one_process = one_process,
          .has_segments = has_segments,
          .packet_bytes = 1016,
          .fifo_bytes = 131072};
}

Request request_of(Collective collective, std::size_t count, int ranks = 2, const Options& options = {}) {
  Request request{.collective = collective, .type = DataType::float32, .element_size = 4, .count = count};
  if (reduces(collective)) request.op.kind = Op::sum;
  if (is_pairwise(collective)) request.root = ranks - 1;
  request.options = options;
  return request;
}

bool uneven(Collective collective) {
  return collective == Collective::all_gather_v || collective == Collective::reduce_scatter_v ||
         collective == Collective::all_to_all_v;
}

/// The decision; nothing, and a reason with a remedy, where there is none.
std::optional<Decision> decided(const Request& request, const Facts& facts) {
  try {
    return decide(request, facts);
  } catch (const Error& error) {
    CHECK(error.code() == Code::unsupported);
    CHECK_FALSE(error.reason().empty());
    CHECK_FALSE(error.context().remedy.empty());
    CHECK_FALSE(error.context().operation.empty());
    return std::nullopt;
  }
}

plan::Schedule schedule_of(const Request& request, const Decision& decision, const Facts& facts) {
  return {request.collective, decision.algorithm, decision.protocol == Protocol::window, facts.ranks, request.root};
}

/// Everything that holds of every decision of the host engine. Returns what does not, as text.
std::string fault(const Request& request, const Decision& decision, const Facts& facts) {
  const plan::Schedule schedule = schedule_of(request, decision, facts);
  if (decision.backend != Backend::host) return "not the host engine";
  if (decision.algorithm == Algorithm::automatic || decision.algorithm == Algorithm::direct) return "no answer";
  if (decision.protocol == Protocol::automatic) return "no protocol";
  if (plan::unsupported(schedule) != nullptr) return plan::unsupported(schedule);
  const bool reaches = facts.one_process || facts.has_segments;
  if (decision.protocol == Protocol::window && !reaches) return "a window onto what cannot be reached";
  if (decision.protocol == Protocol::window && request.op.kind == Op::premultiplied_sum) return "unscaled";
  if (decision.protocol != Protocol::window) {
    const std::size_t least = static_cast<std::size_t>(plan::blocks_per_step(schedule)) * request.element_size;
    if (least > (decision.protocol == Protocol::packet ? facts.packet_bytes : facts.fifo_bytes)) return "no room";
  }
  const bool rank_order = request.options.deterministic || !request.op.commutative;
  if (rank_order && !plan::in_rank_order(schedule)) return "not in rank order";
  return {};
}

template <class Body>
void for_each_case(const Body& body) {
  for (int c = 0; c < collective_count; ++c) {
    const auto collective = static_cast<Collective>(c);
    for (const int ranks : rank_counts) {
      if (is_pairwise(collective) && ranks == 1) continue;
      for (const std::size_t count : sizes) {
        for (const bool one_process : {false, true}) {
          for (const bool has_segments : {false, true})
            body(collective, ranks, count, facts_of(ranks, one_process, has_segments));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("left to itself the choice always finds a way that can run") {
  for_each_case([](Collective collective, int ranks, std::size_t count, const Facts& facts) {
    Request request = request_of(collective, count, ranks);
    const std::vector<std::size_t> counts(static_cast<std::size_t>(ranks), count);
    if (uneven(collective)) request.counts = counts;
    for (const bool deterministic : {false, true}) {
      for (const bool commutative : {false, true}) {
        request.options.deterministic = deterministic;
        request.op.commutative = commutative;
        const auto decision = decided(request, facts);
        const std::string wrong = decision ? fault(request, *decision, facts) : "nothing was found";
        if (wrong.empty()) continue;
        FAIL_CHECK(describe(request) << ", " << ranks << " ranks: " << wrong);
      }
    }
  });
}

TEST_CASE("a named pattern is taken, or refused because there is no such schedule") {
  for_each_case([](Collective collective, int ranks, std::size_t count, const Facts& facts) {
    for (const Algorithm algorithm : plan::patterns) {
      Request request = request_of(collective, count, ranks, {.algorithm = algorithm});
      const std::vector<std::size_t> counts(static_cast<std::size_t>(ranks), count);
      if (uneven(collective)) request.counts = counts;
      const auto decision = decided(request, facts);
      const bool exists = plan::unsupported({collective, algorithm, false, ranks, request.root}) == nullptr;
      if (decision.has_value() != exists) {
        FAIL_CHECK(describe(request) << " by " << name(algorithm) << ", " << ranks << " ranks");
      } else if (decision && decision->algorithm != algorithm) {
        FAIL_CHECK(describe(request) << ": " << name(decision->algorithm) << " instead of " << name(algorithm));
      } else if (decision && !fault(request, *decision, facts).empty()) {
        FAIL_CHECK(describe(request) << " by " << name(algorithm) << ": " << fault(request, *decision, facts));
      }
    }
  });
}

TEST_CASE("a named protocol is taken, or refused") {
  for_each_case([](Collective collective, int ranks, std::size_t count, const Facts& facts) {
    for (const Protocol protocol : {Protocol::packet, Protocol::fifo, Protocol::window}) {
      Request request = request_of(collective, count, ranks, {.protocol = protocol});
      const std::vector<std::size_t> counts(static_cast<std::size_t>(ranks), count);
      if (uneven(collective)) request.counts = counts;
      const auto decision = decided(request, facts);
      if (!decision) {
        if (protocol != Protocol::window) FAIL_CHECK(describe(request) << " refused over " << name(protocol));
      } else if (ranks > 1 && decision->protocol != protocol) {
        FAIL_CHECK(describe(request) << ": " << name(decision->protocol) << " instead of " << name(protocol));
      }
    }
  });
}

TEST_CASE("direct asks for one_shot or two_shot, and with deterministic all that is left is in rank order") {
  for (const std::size_t count : sizes) {
    for (const Collective collective : {Collective::all_reduce, Collective::reduce, Collective::broadcast}) {
      const auto decision = decided(request_of(collective, count, 8, {.algorithm = Algorithm::direct}), facts_of(8));
      REQUIRE(decision);
      CHECK((decision->algorithm == Algorithm::one_shot || decision->algorithm == Algorithm::two_shot));
    }
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree, Algorithm::halving_doubling}) {
      CHECK_FALSE(decided(request_of(Collective::all_reduce, count, 8, {.algorithm = algorithm, .deterministic = true}),
                          facts_of(8)));
      Request request = request_of(Collective::all_reduce, count, 8, {.algorithm = algorithm});
      request.op.commutative = false;
      CHECK_FALSE(decided(request, facts_of(8)));
    }
  }
}

TEST_CASE("the choice does not see what may differ from rank to rank: buffers, timeouts, tables of all_to_all_v") {
  const Facts facts = facts_of(4, true);
  for (const std::size_t count : sizes) {
    Request request = request_of(Collective::all_reduce, count, 4);
    const std::string first = describe(decide(request, facts));
    int somewhere = 0;
    request.in = request.out = &somewhere;
    request.options.timeout = std::chrono::seconds(1);
    CHECK(describe(decide(request, facts)) == first);
  }
  std::optional<std::string> first;
  for (const std::size_t count : sizes) {
    const std::vector<std::size_t> counts{count, 0, 1, count};
    Request request = request_of(Collective::all_to_all_v, count, 4);
    request.counts = request.receive_counts = counts;
    const std::string decision = describe(decide(request, facts));
    if (!first) first = decision;
    CHECK(decision == *first);
  }
}

TEST_CASE("one step of a schedule that carries more than a slot holds is refused with a way out") {
  Facts small = facts_of(64);
  small.packet_bytes = 16;
  small.fifo_bytes = 64;
  const Request request =
      request_of(Collective::all_to_all, 1, 64, {.algorithm = Algorithm::bruck});  // 32 blocks a step
  CHECK_FALSE(decided(request, small));
  small.fifo_bytes = 128;
  CHECK(decided(request, small));
}

TEST_CASE("without a window the same call goes by messages") {
  for_each_case([](Collective collective, int ranks, std::size_t count, const Facts& facts) {
    Request request = request_of(collective, count, ranks);
    const std::vector<std::size_t> counts(static_cast<std::size_t>(ranks), count);
    if (uneven(collective)) request.counts = counts;
    const Decision decision = decide_without_window(request, facts);
    if (decision.protocol == Protocol::window || !fault(request, decision, facts).empty()) {
      FAIL_CHECK(describe(request) << ": " << describe(decision));
    }
  });
}

TEST_CASE("engines that are not there, and memory that none reaches, are refused") {
  for (const Backend backend : {Backend::cuda, Backend::nccl, Backend::mpi, Backend::two_level, Backend::simulated}) {
    CHECK_FALSE(decided(request_of(Collective::all_reduce, 4, 2, {.backend = backend}), facts_of(2)));
  }
  CHECK(decided(request_of(Collective::all_reduce, 4, 2, {.backend = Backend::host}), facts_of(2)));
  Request request = request_of(Collective::all_reduce, 4);
  request.memory = Memory::device;
  CHECK_FALSE(decided(request, facts_of(2)));
}

TEST_CASE("between hosts every decision is for two levels or for MPI, and what is named is kept or refused") {
  for (const bool even : {false, true}) {
    for (const bool consecutive : {false, true}) {
      Facts facts = facts_of(6);
      facts.hosts = 2;
      facts.even = even;
      facts.consecutive = consecutive;
      for (int c = 0; c < collective_count; ++c) {
        const auto collective = static_cast<Collective>(c);
        const auto decision = decided(request_of(collective, 1000, 6), facts);
        REQUIRE(decision);
        CHECK((decision->backend == Backend::two_level || decision->backend == Backend::mpi));
        const auto by_mpi = decided(request_of(collective, 1000, 6, {.backend = Backend::mpi}), facts);
        REQUIRE(by_mpi);
        CHECK(by_mpi->backend == Backend::mpi);
        CHECK_FALSE(decided(request_of(collective, 1000, 6, {.backend = Backend::host}), facts));
        CHECK_FALSE(decided(request_of(collective, 1000, 6, {.protocol = Protocol::window}), facts));
        if (!reduces(collective)) continue;
        const auto ordered = decided(request_of(collective, 1000, 6, {.deterministic = true}), facts);
        REQUIRE(ordered);
        CHECK(ordered->backend == Backend::two_level);
        CHECK((ordered->algorithm == Algorithm::one_shot || ordered->algorithm == Algorithm::two_shot));
        CHECK_FALSE(
            decided(request_of(collective, 1000, 6, {.algorithm = Algorithm::ring, .deterministic = true}), facts));
        CHECK_FALSE(decided(request_of(collective, 1000, 6, {.backend = Backend::mpi, .deterministic = true}), facts));
      }
    }
  }
}

TEST_CASE("a decision is written as errors and tables name it") {
  CHECK(describe(Decision{}) == "host/one_shot/packet");
  CHECK(describe(Decision{Backend::mpi, Algorithm::mpi, Protocol::fifo}) == "mpi");
  CHECK(describe(Decision{Backend::two_level, Algorithm::ring, Protocol::fifo}) == "two_level/ring");
}
