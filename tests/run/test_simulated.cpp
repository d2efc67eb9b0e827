#include "tutti/run/simulated.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "choose/price_parts.hpp"
#include "tutti/base/error.hpp"
#include "tutti/choose/price_cluster.hpp"
#include "tutti/collectives.hpp"
#include "tutti/simulation.hpp"
#include "tutti/topology/cluster_of.hpp"
#include "tutti/topology/preset_clusters.hpp"

using namespace tutti;

namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;

Cluster pod(std::int64_t nodes) { return preset_cluster("superpod-1024", nodes); }

/// The same with leaves of so many nodes, oversubscribed.
Cluster narrow_pod(std::int64_t nodes, std::int64_t leaf, double oversubscription) {
  ClusterParts parts = pod(nodes).parts();
  parts.fabric.tiers = {{"leaf", leaf, {}, oversubscription, Quantity::assumed(0.2)},
                        {"spine", nodes, {}, 1, Quantity::assumed(0.2)}};
  return Cluster(parts);
}

void same_as_one_by_one(const Cluster& cluster, Scenario scenario, bool classes = true) {
  const SimulatedRun alike = simulate(cluster, scenario);
  scenario.symmetry = false;
  const SimulatedRun each = simulate(cluster, scenario);
  CAPTURE(cluster.node_count(), name(scenario.collective), name(scenario.algorithm), name(scenario.between),
          scenario.bytes, scenario.chunks);
  CHECK(alike.time_ps == each.time_ps);
  CHECK(each.simulated_ranks == each.ranks);
  if (classes) CHECK(alike.simulated_ranks < each.ranks);
  REQUIRE(alike.loads.size() == each.loads.size());
  for (std::size_t i = 0; i < alike.loads.size(); ++i) CHECK(alike.loads[i].busiest == Approx(each.loads[i].busiest));
}

Code code_of(const Cluster& cluster, const Scenario& scenario, std::uint64_t most = std::uint64_t{8} << 30) {
  try {
    simulate(cluster, scenario, most);
  } catch (const Error& error) {
    return error.code();
  }
  return Code::internal;
}

choose::Parts rates_of(const Cluster& cluster) {
  return choose::parts(Collective::all_reduce, choose::Pattern::ring, choose::GpuProtocol::simple,
                       choose::platform_of(cluster), choose::shipped_coefficients());
}

}  // namespace

TEST_CASE("ranks that are alike, played once, take the very time of all ranks played one by one") {
  for (const auto collective : {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
    for (const auto algorithm : {Algorithm::ring, Algorithm::one_shot, Algorithm::halving_doubling}) {
      for (const std::int64_t nodes : {2, 4, 8}) {
        for (const std::size_t bytes : {std::size_t{8}, 300 * KiB, 64 * MiB}) {
          same_as_one_by_one(pod(nodes), {.collective = collective, .bytes = bytes, .algorithm = algorithm});
        }
      }
    }
  }
  same_as_one_by_one(pod(5), {.bytes = 10 * MiB, .algorithm = Algorithm::ring, .channels = 3, .chunks = 4});
  same_as_one_by_one(pod(8), {.bytes = 10 * MiB, .algorithm = Algorithm::two_shot});
  same_as_one_by_one(pod(3), {.collective = Collective::all_to_all, .bytes = MiB, .algorithm = Algorithm::bruck});
  same_as_one_by_one(pod(3), {.collective = Collective::all_to_all, .bytes = MiB, .algorithm = Algorithm::one_shot});
}

TEST_CASE("two levels, pipelined, on rails that are not alike, below switches that are too narrow: alike is alike") {
  for (const auto between : {Algorithm::halving_doubling, Algorithm::ring, Algorithm::two_shot}) {
    Scenario scenario{.bytes = 64 * MiB, .arrangement = Arrangement::two_level, .between = between, .chunks = 3};
    same_as_one_by_one(pod(8), scenario);
    scenario.algorithm = Algorithm::direct;
    scenario.slow_rails = {{2, 0.5}};
    same_as_one_by_one(pod(4), scenario);
    if (between == Algorithm::halving_doubling) {
      scenario.background = 0.3;
      same_as_one_by_one(narrow_pod(8, 2, 4), scenario);
    }
  }
  same_as_one_by_one(narrow_pod(8, 4, 3), {.bytes = 8 * MiB, .algorithm = Algorithm::halving_doubling});
}

TEST_CASE("schedules in which no two ranks are alike are played one by one") {
  const SimulatedRun tree = simulate(pod(4), {.bytes = MiB, .algorithm = Algorithm::tree});
  CHECK(tree.simulated_ranks == 32);
  const SimulatedRun three = simulate(pod(3), {.bytes = MiB, .algorithm = Algorithm::halving_doubling});
  CHECK(three.simulated_ranks == 24);
}

TEST_CASE("a ring takes what its closed form says") {
  const Cluster one = pod(1);
  const choose::Parts rates = rates_of(one);
  const double start = choose::shipped_coefficients().start_us;
  for (const std::size_t bytes : {64 * KiB, 256 * MiB}) {
    const double block = static_cast<double>(bytes) / 8;
    const double closed = start + 14 * (rates.hop_inside_us + block / (rates.inside_gbs * 1e3));
    CHECK(simulate(one, {.bytes = bytes}).us == Approx(closed).epsilon(1e-3));
  }
}

TEST_CASE("halving and doubling inside a machine takes what its closed form says") {
  const Cluster one = pod(1);
  const choose::Parts rates = rates_of(one);
  const std::size_t bytes = 64 * KiB;
  const double transfer = 2.0 * 7 / 8 * static_cast<double>(bytes) / (rates.inside_gbs * 1e3);
  const double closed = choose::shipped_coefficients().start_us + 6 * rates.hop_inside_us + transfer;
  // Combining is not in the closed form: it adds little.
  const double us = simulate(one, {.bytes = bytes, .algorithm = Algorithm::halving_doubling}).us;
  CHECK(us >= closed * 0.9999);
  CHECK(us < closed * 1.02);
}

TEST_CASE("131,072 GPUs are eight, where machines are alike") {
  const Cluster big = preset_cluster("superpod-131072");
  const SimulatedRun levels = simulate(big, {.bytes = 1024 * MiB, .arrangement = Arrangement::two_level});
  CHECK(levels.ranks == 131072);
  CHECK(levels.simulated_ranks == 8);
  CHECK(levels.us < 20e3);
  const SimulatedRun ring = simulate(big, {.bytes = 1024 * MiB});
  CHECK(ring.simulated_ranks == 8);
  CHECK(ring.us > 20 * levels.us);
  CHECK(ring.bottleneck == "latency");
  CHECK_FALSE(ring.notes.empty());
}

TEST_CASE("a slow rail, a narrow spine, and others' traffic each cost what they take away") {
  const Cluster cluster = narrow_pod(16, 4, 1);
  Scenario scenario{.bytes = 1024 * MiB, .arrangement = Arrangement::two_level, .chunks = 1};
  const double well = simulate(cluster, scenario).us;
  scenario.slow_rails = {{3, 0.5}};
  const double slow = simulate(cluster, scenario).us;
  CHECK(slow > 1.3 * well);
  scenario.slow_rails = {};
  scenario.oversubscription = 8;
  const SimulatedRun narrow = simulate(cluster, scenario);
  CHECK(narrow.us > 2 * well);
  CHECK(narrow.bottleneck.find("leaf") != std::string::npos);
  scenario.oversubscription = 0;
  scenario.background = 0.5;
  CHECK(simulate(cluster, scenario).us > 1.2 * well);
}

TEST_CASE("a rank that begins late holds up all, and one with slow links sets the pace") {
  Scenario scenario{.bytes = 64 * MiB};
  const double well = simulate(pod(2), scenario).us;
  scenario.stragglers = {{5, 5000, 1}};
  const double late = simulate(pod(2), scenario).us;
  CHECK(late > 5000);
  CHECK(late < 5000 + 1.5 * well);
  scenario.stragglers = {{5, 0, 0.25}};
  CHECK(simulate(pod(2), scenario).us > 1.5 * well);
}

TEST_CASE("an adapter that fails holds up the collective until it is back, or its traffic moves, or for ever") {
  Scenario scenario{.bytes = 256 * MiB};
  const double well = simulate(pod(2), scenario).us;
  scenario.failures = {{0, 3, 100, 20000, 0}};
  const double back = simulate(pod(2), scenario).us;
  CHECK(back > 20000);
  CHECK(back < 20000 + 1.5 * well);
  scenario.failures = {{0, 3, 100, 0, 3000}};
  const double moved = simulate(pod(2), scenario).us;
  CHECK(moved > 3000 + well);
  CHECK(moved < 3100 + 2.5 * well);
  scenario.failures = {{0, 3, 100, 0, 0}};
  CHECK(code_of(pod(2), scenario) == Code::peer_lost);
}

TEST_CASE("a seed gives the same run again, and another seed another") {
  Scenario scenario{.bytes = MiB, .skew_us = 50, .seed = 7};
  const auto first = simulate(pod(2), scenario);
  CHECK(simulate(pod(2), scenario).time_ps == first.time_ps);
  scenario.seed = 8;
  CHECK(simulate(pod(2), scenario).time_ps != first.time_ps);
}

TEST_CASE("values that are wrong, and runs that would not fit, are refused before they begin") {
  CHECK(code_of(pod(2), {.bytes = 0}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.ranks = 17}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.background = 1}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.slow_rails = {{8, 0.5}}}) == Code::invalid_argument);
  CHECK(code_of(pod(1), {.slow_rails = {{0, 0.5}}}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.slow_rails = {{0, 0}}}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.stragglers = {{16, 1, 1}}}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.stragglers = {{0, std::nan(""), 1}}}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.failures = {{2, 0, 1, 0, 0}}}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.failures = {{0, 0, 5, 1, 0}}}) == Code::invalid_argument);
  Scenario one_rail{.failures = {{0, 0, 5, 0, 7}}};
  one_rail.network.rails = 1;
  CHECK(code_of(pod(2), one_rail) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.bytes = (std::size_t{1} << 46) + 1}) == Code::invalid_argument);
  CHECK(code_of(pod(2), {.algorithm = Algorithm::bruck}) == Code::unsupported);
  CHECK(code_of(pod(2), {.algorithm = Algorithm::mpi}) == Code::unsupported);
  CHECK(code_of(pod(2), {.collective = Collective::all_gather_v}) == Code::unsupported);
  CHECK(code_of(pod(2), {.collective = Collective::recv, .algorithm = Algorithm::one_shot}) == Code::unsupported);
  CHECK(code_of(pod(2), {.collective = Collective::all_gather, .arrangement = Arrangement::two_level}) ==
        Code::unsupported);
  CHECK(code_of(pod(128), {.arrangement = Arrangement::two_level, .symmetry = false}, MiB) == Code::resource);
  CHECK(code_of(preset_cluster("superpod-131072"), {.symmetry = false}) == Code::resource);
}

TEST_CASE("a trace is JSON with every step of the ranks asked for, in order on each lane") {
  Scenario scenario{.bytes = MiB, .traced_ranks = 2};
  const SimulatedRun run = simulate(pod(1), scenario);
  CHECK(run.trace.size() == 2 * 15);
  const auto json = nlohmann::json::parse(perfetto_trace(run));
  double last = -1;
  int steps = 0;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] != "X" || event["pid"] != 0) continue;
    CHECK(event["ts"].get<double>() >= last);
    last = event["ts"].get<double>() + event["dur"].get<double>();
    ++steps;
  }
  CHECK(steps == 15);
  CHECK(nlohmann::json::parse(perfetto_trace(SimulatedRun{}))["traceEvents"].empty());
  const std::string picture = svg_timeline(run);
  CHECK(picture.find("rank 1 lane 0") != std::string::npos);
  CHECK(picture.substr(picture.size() - 7) == "</svg>\n");
  CHECK(svg_timeline(SimulatedRun{}).find("<svg") == 0);
}

TEST_CASE("a Simulation takes calls like a communicator") {
  std::vector<float> data(1 << 20);
  const Simulation simulation{preset("dgx-h100"), 8};
  CHECK(simulation.size() == 8);
  const SimulatedRun run = all_reduce(simulation, on_host(data), sum);
  CHECK(run.us == simulate(pod(1), {.bytes = 4 * MiB}).us);
  CHECK(all_reduce(simulation, on_host(data), sum, {.algorithm = Algorithm::halving_doubling}).us < 2 * run.us);
  CHECK_THROWS_AS((Simulation{preset("dgx-h100"), 9}), Error);
  // 64 TiB are allowed; the bytes of the second are 32 KiB more than 64 bits hold.
  for (const std::size_t count : {(std::size_t{1} << 41) + 1, (std::size_t{1} << 59) + 1024}) {
    CHECK_THROWS_AS(all_gather(simulation, on_host(data.data(), count), on_host(data.data(), 8 * count)), Error);
  }
}

TEST_CASE("a long run tells how far it is, ever further") {
  double last = 0;
  int told = 0;
  simulate(pod(64), {.bytes = MiB, .algorithm = Algorithm::one_shot, .symmetry = false}, std::uint64_t{8} << 30,
           [&](double share) {
             CHECK(share >= last);
             CHECK(share <= 1);
             last = share;
             ++told;
           });
  CHECK(told > 0);
}

TEST_CASE("switches that reduce and multicast, and PAT: machines that are alike take the very time of all of them") {
  NetworkSettings sharp;
  sharp.sharp = true;
  for (const std::int64_t nodes : {2, 3, 8}) {
    for (const std::size_t bytes : {std::size_t{8}, 300 * KiB, 64 * MiB}) {
      same_as_one_by_one(pod(nodes), {.bytes = bytes, .arrangement = Arrangement::switch_reduction, .network = sharp});
      for (const auto collective : {Collective::all_gather, Collective::reduce_scatter}) {
        same_as_one_by_one(pod(nodes), {.collective = collective, .bytes = bytes, .arrangement = Arrangement::pat});
      }
    }
  }
}

TEST_CASE("a multicast inside a machine takes what the price's parts say, and a bit for its pipeline") {
  const Cluster one = pod(1);
  const choose::Parts parts =
      choose::parts(Collective::all_reduce, choose::Pattern::multicast, choose::GpuProtocol::simple,
                    choose::platform_of(one), choose::shipped_coefficients());
  REQUIRE(parts.excluded == nullptr);
  for (const std::size_t bytes : {std::size_t{8}, MiB, 1024 * MiB}) {
    const SimulatedRun run = simulate(one, {.bytes = bytes, .arrangement = Arrangement::multicast});
    const double least = parts.start_us + parts.latency_us() + parts.transfer_inside_us(static_cast<double>(bytes));
    CHECK(run.us >= 0.999 * least);
    // While the first chunk goes up nothing comes down yet.
    CHECK(run.us <= 1.01 * (parts.start_us + parts.latency_us()) +
                        (1 + 3.0 / run.chunks) * parts.transfer_inside_us(static_cast<double>(bytes)));
    CHECK(run.simulated_ranks == 8);
  }
  CHECK(simulate(one, {.bytes = 1024 * MiB, .arrangement = Arrangement::multicast}).us <
        simulate(one, {.bytes = 1024 * MiB}).us);
}

TEST_CASE(
    "reducing switches between machines cost what a vector takes out of an adapter, whatever the number of machines") {
  NetworkSettings sharp;
  sharp.sharp = true;
  const Scenario scenario{
      .bytes = 256 * MiB, .arrangement = Arrangement::switch_reduction, .chunks = 1, .network = sharp};
  const double few = simulate(pod(4), scenario).us;
  const double many = simulate(pod(64), scenario).us;
  CHECK(many == Approx(few).epsilon(0.02));
  Scenario without = scenario;
  without.network = {};
  CHECK(code_of(pod(4), without) == Code::unsupported);
}

TEST_CASE("PAT takes as many hops as the ranks' number has binary digits, and every byte once") {
  const Cluster lone = pod(13);
  const SimulatedRun few =
      simulate(lone, {.collective = Collective::all_gather, .bytes = 104, .arrangement = Arrangement::pat});
  const SimulatedRun ring = simulate(lone, {.collective = Collective::all_gather, .bytes = 104});
  CHECK(few.us < ring.us / 4);
  // 104 ranks: 7 rounds, a message each.
  Scenario each{
      .collective = Collective::reduce_scatter, .bytes = 104, .arrangement = Arrangement::pat, .symmetry = false};
  CHECK(simulate(lone, each).messages == 104 * 7);
  CHECK(code_of(pod(2), {.arrangement = Arrangement::pat}) == Code::unsupported);
}

TEST_CASE("a switch that is not there reduces nothing") {
  CHECK(code_of(Cluster(preset_cluster("superpod-1024", 2)),
                {.collective = Collective::all_to_all, .bytes = MiB, .arrangement = Arrangement::multicast}) ==
        Code::unsupported);
  CHECK(code_of(pod(1), {.bytes = MiB, .arrangement = Arrangement::switch_reduction}) == Code::unsupported);
}

TEST_CASE("automatic is the cheapest by price, and the run says what it took") {
  for (const std::int64_t nodes : {1, 2, 16}) {
    for (const std::size_t bytes : {8 * KiB, 64 * MiB}) {
      const Cluster cluster = pod(nodes);
      const SimulatedRun run = simulate(cluster, {.bytes = bytes, .algorithm = Algorithm::automatic});
      const choose::Price best = choose::prices(Collective::all_reduce, bytes, choose::platform_of(cluster),
                                                {.protocols = {choose::GpuProtocol::simple}})
                                     .front();
      CAPTURE(nodes, bytes, name(best.pattern), run.phases.front());
      switch (best.pattern) {
        case choose::Pattern::two_level:
          CHECK(run.phases.size() == 3);
          break;
        case choose::Pattern::multicast:
          CHECK(run.phases == std::vector<std::string>{"all_reduce by switches among 8 GPUs of a machine"});
          break;
        case choose::Pattern::multicast_tree:
          CHECK(run.phases[1].find("tree") != std::string::npos);
          break;
        default:
          CHECK(run.phases.front().find(std::string(name(best.pattern))) != std::string::npos);
      }
      CHECK(run.notes.back().find("cheapest by price") != std::string::npos);
    }
  }
  const Scenario levels{.bytes = 64 * MiB,
                        .arrangement = Arrangement::two_level,
                        .algorithm = Algorithm::automatic,
                        .between = Algorithm::automatic};
  CHECK(
      simulate(pod(4), levels).us <=
      1.05 *
          simulate(pod(4), {.bytes = 64 * MiB, .arrangement = Arrangement::two_level, .between = Algorithm::ring}).us);
}

TEST_CASE("a late rank holds up a reducing switch") {
  const double well = simulate(pod(1), {.bytes = MiB, .arrangement = Arrangement::multicast}).us;
  const SimulatedRun late =
      simulate(pod(1), {.bytes = MiB, .arrangement = Arrangement::multicast, .stragglers = {{3, 700, 1}}});
  CHECK(late.us > 700);
  CHECK(late.us < 700 + 1.1 * well);
}

TEST_CASE("a job by itself takes the time of the collective, wherever its machines are under one switch") {
  const Cluster cluster = narrow_pod(16, 8, 1);
  const Scenario scenario{.bytes = 16 * MiB, .arrangement = Arrangement::two_level};
  Scenario one_by_one = scenario;
  one_by_one.ranks = 32;
  one_by_one.symmetry = false;
  const std::int64_t alone = simulate(cluster, one_by_one).time_ps;
  CHECK(simulate_jobs(cluster, {{{0, 1, 2, 3}, scenario}}).front().time_ps == alone);
  CHECK(simulate_jobs(cluster, {{{12, 13, 14, 15}, scenario}}).front().time_ps == alone);
}

TEST_CASE("jobs that share narrow uplinks are slower together, and those that share none are not") {
  const Cluster cluster = narrow_pod(16, 4, 4);
  const Scenario ring{.bytes = 64 * MiB, .arrangement = Arrangement::two_level, .between = Algorithm::ring};
  const Job a{{0, 4, 8, 12}, ring};
  const Job b{{1, 5, 9, 13}, ring};
  const double alone = simulate_jobs(cluster, {a}).front().us;
  const auto together = simulate_jobs(cluster, {a, b});
  REQUIRE(together.size() == 2);
  CHECK(together[0].us > 1.3 * alone);
  CHECK(together[0].time_ps == together[1].time_ps);
  CHECK(together[0].bottleneck.find("leaf") != std::string::npos);
  const Job c{{0, 1, 2, 3}, ring};
  const Job d{{4, 5, 6, 7}, ring};
  const auto apart = simulate_jobs(cluster, {c, d});
  CHECK(apart[0].time_ps == simulate_jobs(cluster, {c}).front().time_ps);
  CHECK(apart[1].time_ps == apart[0].time_ps);
}

TEST_CASE("jobs of different length, collective and algorithm end each at its own time") {
  const Cluster cluster = narrow_pod(8, 4, 2);
  const auto runs = simulate_jobs(cluster, {{{0, 4}, {.bytes = 256 * MiB, .algorithm = Algorithm::automatic}},
                                            {{1, 5}, {.collective = Collective::all_gather, .bytes = MiB}},
                                            {{2}, {.bytes = MiB, .algorithm = Algorithm::tree}}});
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].us > runs[1].us);
  CHECK(runs[2].ranks == 8);
}

TEST_CASE("jobs that contradict the cluster or one another are refused") {
  const Cluster cluster = pod(4);
  const auto refused = [&](const std::vector<Job>& jobs, std::uint64_t most = std::uint64_t{8} << 30) {
    try {
      simulate_jobs(cluster, jobs, most);
    } catch (const Error& error) {
      return error.code();
    }
    return Code::internal;
  };
  CHECK(refused({}) == Code::invalid_argument);
  CHECK(refused({{{}, {}}}) == Code::invalid_argument);
  CHECK(refused({{{4}, {}}}) == Code::invalid_argument);
  CHECK(refused({{{-1}, {}}}) == Code::invalid_argument);
  CHECK(refused({{{0, 0}, {}}}) == Code::invalid_argument);
  CHECK(refused({{{0, 1}, {}}, {{1, 2}, {}}}) == Code::invalid_argument);
  CHECK(refused({{{0}, {}}, {{1}, {.protocol = choose::GpuProtocol::ll}}}) == Code::invalid_argument);
  CHECK(refused({{{0}, {.arrangement = Arrangement::multicast}}}) == Code::unsupported);
  CHECK(refused({{{0, 1, 2, 3}, {.algorithm = Algorithm::one_shot}}}, KiB) == Code::resource);
}

TEST_CASE("on machines of more than 128 GPUs every pair has a wire of its own") {
  TopologyParts parts;
  parts.hosts.resize(1);
  for (int i = 0; i < 200; ++i) parts.add(Device{.kind = DeviceKind::gpu, .model = "NVIDIA H100", .index = i});
  const Cluster large = cluster_of(Topology(std::move(parts)));
  const SimulatedRun run =
      simulate(large, {.bytes = 64 * KiB, .algorithm = Algorithm::one_shot, .channels = 1, .chunks = 1});
  CHECK(run.ranks == 200);
  CHECK(run.messages % 199 == 0);
}
