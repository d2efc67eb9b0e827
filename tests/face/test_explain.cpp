/// @file  Explain: what is told is what a communicator does, with a reason for every way that it does not take.
#include <algorithm>
#include <sstream>
#include <vector>

#include "face/helpers.hpp"
#include "tutti/explain.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

const ExplainedWay* way(const Explanation& explanation, Algorithm algorithm, Protocol protocol) {
  for (const ExplainedWay& each : explanation.ways) {
    if (each.decision.algorithm == algorithm && each.decision.protocol == protocol) return &each;
  }
  return nullptr;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an explained call is chosen as the communicator would, and runs nothing") {
  in_process(2, [](Communicator& comm) {
    if (comm.rank() != 0) return;  // nobody waits
    std::vector<float> in(100000, 1.0F);
    std::vector<float> out(in.size(), -7.0F);
    const auto told = all_reduce(Explain{comm}, on_host(in), on_host(out), sum);
    const Request request = make_request(Collective::all_reduce, Span<const float, Memory::host>{in.data(), in.size()},
                                         on_host(out), out.size(), sum, Options{});
    CHECK(told.ranks == 2);
    CHECK(holds(told.call, "all_reduce"));
    CHECK(describe(told.chosen) == describe(comm.decide(request)));
    CHECK(std::count(out.begin(), out.end(), -7.0F) == 100000);
    REQUIRE_FALSE(told.ways.empty());
    CHECK(told.ways.front().chosen);
    CHECK(std::count_if(told.ways.begin(), told.ways.end(), [](const auto& each) { return each.chosen; }) == 1);
    for (const ExplainedWay& each : told.ways) CHECK(each.chosen == each.reason.empty());
  });
}

TEST_CASE("the sizes where an explained choice changes are where it does change") {
  in_process(2, [](Communicator& comm) {
    if (comm.rank() != 0) return;
    std::vector<float> in(1 << 20);
    std::vector<float> out(in.size());
    const auto chosen_for = [&](std::size_t bytes) {
      const std::size_t count = bytes / sizeof(float);
      return describe(all_reduce(Explain{comm}, Span<const float, Memory::host>{in.data(), count},
                                 Span<float, Memory::host>{out.data(), count}, sum)
                          .chosen);
    };
    const auto told = all_reduce(Explain{comm}, on_host(in), on_host(out), sum);
    REQUIRE(told.turns.size() >= 2);
    CHECK(told.turns.front().bytes == sizeof(float));
    for (std::size_t i = 1; i < told.turns.size(); ++i) {
      CHECK(chosen_for(told.turns[i].bytes) == describe(told.turns[i].decision));
      CHECK(chosen_for(told.turns[i].bytes - sizeof(float)) == describe(told.turns[i - 1].decision));
    }
  });
}

TEST_CASE("every way that is not taken has its reason") {
  in_process(2, [](Communicator& comm) {
    if (comm.rank() != 0) return;
    std::vector<float> data(1 << 16);
    const auto told = all_reduce(Explain{comm}, on_host(data), sum);
    const ExplainedWay* packets = way(told, Algorithm::one_shot, Protocol::packet);
    REQUIRE(packets != nullptr);
    CHECK(packets->possible);
    CHECK(holds(packets->reason, "the choice from 4 B to below"));
    const ExplainedWay* bruck = way(told, Algorithm::bruck, Protocol::fifo);
    REQUIRE(bruck != nullptr);
    CHECK_FALSE(bruck->possible);
    CHECK(holds(bruck->reason, "there is no bruck schedule"));

    const auto exact = all_reduce(Explain{comm}, on_host(data), sum, {.deterministic = true});
    const ExplainedWay* ring = way(exact, Algorithm::ring, Protocol::fifo);
    REQUIRE(ring != nullptr);
    CHECK_FALSE(ring->possible);
    CHECK(holds(ring->reason, "rank order"));

    const auto named = all_reduce(Explain{comm}, on_host(data), sum, {.algorithm = Algorithm::ring});
    CHECK(named.chosen.algorithm == Algorithm::ring);
    CHECK(holds(way(named, Algorithm::two_shot, Protocol::fifo)->reason, "the call names ring"));

    std::ostringstream table;
    table << told;
    CHECK(holds(table.str(), "among 2 ranks: host/"));
    CHECK(holds(table.str(), "possible, too"));
    CHECK(holds(table.str(), "excluded"));
    CHECK(holds(table.str(), "the choice, by bytes of one rank's data"));
  });
}

TEST_CASE("calls of one size only are explained without turns, and bad ones are refused as ever") {
  in_process(3, [](Communicator& comm) {
    if (comm.rank() != 0) return;
    CHECK(barrier(Explain{comm}).turns.empty());
    std::vector<int> part(4);
    std::vector<int> all(12);
    CHECK(all_gather(Explain{comm}, on_host(part), on_host(all)).turns.size() >= 2);
    const std::vector<std::size_t> counts{4, 4, 4};
    CHECK(all_gather_v(Explain{comm}, on_host(part), on_host(all), counts).turns.empty());
    CHECK(says(error_of([&] { broadcast(Explain{comm}, on_host(part), 3); }), Code::invalid_argument, {"root"}));
    CHECK(all_reduce(Explain{comm}, Span<int, Memory::host>{}, sum).turns.empty());
  });
}
