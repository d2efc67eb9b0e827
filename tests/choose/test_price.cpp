#include "tutti/choose/price.hpp"

#include <cmath>

#include "catch.hpp"
#include "choose/price_parts.hpp"
#include "tutti/base/error.hpp"
#include "tutti/choose/price_cluster.hpp"
#include "tutti/plan/closed_form.hpp"
#include "tutti/topology/cluster_of.hpp"
#include "tutti/topology/preset_clusters.hpp"

using namespace tutti;
using namespace tutti::choose;

namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

Platform one_node(int gpus) {
  Platform at;
  at.gpus = gpus;
  return at;
}

Platform nodes_of_one(int nodes) {
  Platform at;
  at.gpus = 1;
  at.rails = 1;
  at.nodes = nodes;
  return at;
}

Parts parts_of(Pattern pattern, const Platform& at, Collective collective = Collective::all_reduce) {
  return parts(collective, pattern, GpuProtocol::simple, at, shipped_coefficients());
}

plan::Cost counted(Algorithm algorithm, int ranks, Collective collective = Collective::all_reduce) {
  return plan::closed_form({.collective = collective, .algorithm = algorithm, .size = ranks})->cost;
}

double share(const plan::Cost& cost, int blocks) { return static_cast<double>(cost.most_blocks) / blocks; }

}  // namespace

TEST_CASE("hops and bytes of a price are those counted in the proofs of the steps") {
  for (int n = 2; n <= 64; ++n) {
    CAPTURE(n);
    const Parts ring = parts_of(Pattern::ring, one_node(n));
    CHECK(ring.hops_inside == counted(Algorithm::ring, n).hops);
    CHECK(ring.share_inside == Approx(share(counted(Algorithm::ring, n), n)));
    const Parts gather = parts_of(Pattern::ring, one_node(n), Collective::all_gather);
    CHECK(gather.hops_inside == counted(Algorithm::ring, n, Collective::all_gather).hops);
    CHECK(gather.share_inside == Approx(share(counted(Algorithm::ring, n, Collective::all_gather), n)));
    CHECK(parts_of(Pattern::two_shot, one_node(n)).hops_inside == counted(Algorithm::two_shot, n).hops);
    CHECK(parts_of(Pattern::two_shot, one_node(n)).share_inside == Approx(share(counted(Algorithm::two_shot, n), n)));
    CHECK(parts_of(Pattern::one_shot, one_node(n)).share_inside == Approx(counted(Algorithm::one_shot, n).most_blocks));
    const Parts tree = parts_of(Pattern::tree, nodes_of_one(n));
    CHECK(tree.hops_between == counted(Algorithm::tree, n).hops);
    CHECK(tree.share_between == Approx(std::min(n, 4) / 2.0));  // of two blocks
    CHECK(parts_of(Pattern::halving_doubling, one_node(n)).hops_inside == counted(Algorithm::halving_doubling, n).hops);
    const int power = plan::floor_power(n);
    CHECK(parts_of(Pattern::halving_doubling, one_node(n)).share_inside ==
          Approx(share(counted(Algorithm::halving_doubling, n), power)));
  }
}

TEST_CASE("a chain of hops around a ring leaves a machine every time it has passed all its GPUs") {
  Platform at = one_node(8);
  at.nodes = 2;
  CHECK(parts_of(Pattern::ring, at).hops_between == 4);
  CHECK(parts_of(Pattern::ring, at).hops_inside == 26);
  CHECK(parts_of(Pattern::ring, nodes_of_one(16)).hops_between == 30);
}

TEST_CASE("without latency a price is bytes over the narrowest link") {
  Coefficients ideal = published_coefficients();
  ideal.start_us = ideal.launch_us = 0;
  ideal.of(GpuKind::hopper) = {{0, 0, 0}, 1, 1e9, 1e9, 0, 1};
  ideal.of(Transport::infiniband) = {{0, 0, 0}, 1, 1, 1, 0, true, true};
  Platform at;  // 8 GPUs of 450 GB/s
  const auto us = [&](Pattern pattern) {
    return price(Collective::all_reduce, 1000 * MiB, pattern, GpuProtocol::simple, at, ideal).us;
  };
  const double bytes = 1000.0 * MiB;
  CHECK(us(Pattern::ring) == Approx(1.75 * bytes / 450e3));
  at.nodes = 16;  // 8 rails of 50 GB/s are narrower
  CHECK(us(Pattern::ring) == Approx(2 * 127.0 / 128 * bytes / 400e3));
  CHECK(us(Pattern::two_level) == Approx(2 * 15.0 / 16 * bytes / 400e3));
  at.oversubscription = 4;
  CHECK(us(Pattern::two_level) == Approx(4 * 2 * 15.0 / 16 * bytes / 400e3));
}

TEST_CASE("terms add up to the price, whatever it is made of") {
  for (const auto* name : {"8xA100-hdr", "superpod-1024", "superpod-131072", "4xA100-100gbe", "llama3-24576"}) {
    const Platform at = platform_of(preset_cluster(name));
    for (const std::size_t bytes : {std::size_t{8}, 64 * MiB}) {
      for (const auto collective : {Collective::all_reduce, Collective::all_gather, Collective::all_to_all}) {
        for (const Price& each : prices(collective, bytes, at)) {
          if (!each.possible()) continue;
          double sum = 0;
          for (const Term& term : each.terms) sum += term.us;
          CAPTURE(name, bytes, each.pattern, each.protocol);
          CHECK(sum == Approx(each.us));
          CHECK(each.us > 0);
          CHECK_FALSE(each.bottleneck.empty());
          CHECK(each.uncertainty > 0);
        }
      }
    }
  }
}

TEST_CASE("the cheapest comes first, what is excluded comes last and says why") {
  const auto all = prices(Collective::all_reduce, MiB, one_node(8));
  REQUIRE(all.front().possible());
  CHECK(all.front().us == least_us(Collective::all_reduce, MiB, one_node(8)));
  CHECK_FALSE(all.back().possible());
  CHECK(std::isinf(all.back().us));
  CHECK_FALSE(all.back().excluded.empty());
}

TEST_CASE("small vectors take low latency, large ones bandwidth, and the switch where there is one") {
  Platform at = one_node(8);
  CHECK(prices(Collective::all_reduce, 1024, at, {.patterns = {Pattern::ring, Pattern::tree}}).front().protocol ==
        GpuProtocol::ll);
  CHECK(prices(Collective::all_reduce, 1024 * MiB, at, {.patterns = {Pattern::ring}}).front().protocol ==
        GpuProtocol::simple);
  at.multicast = true;
  CHECK(prices(Collective::all_reduce, 1024 * MiB, at).front().pattern == Pattern::multicast);
}

TEST_CASE("a flat ring over 131,072 GPUs loses to two levels by its hops") {
  const Platform at = platform_of(preset_cluster("superpod-131072"));
  const auto us = [&](Pattern pattern) {
    return price(Collective::all_reduce, 1024 * MiB, pattern, GpuProtocol::simple, at).us;
  };
  CHECK(us(Pattern::ring) > 50 * us(Pattern::two_level));
}

TEST_CASE("a preset becomes a platform with its own links, adapters and switches") {
  const Platform dgx = platform_of(preset_cluster("superpod-131072"));
  CHECK(dgx.nodes == 16384);
  CHECK(dgx.gpus == 8);
  CHECK(dgx.gpu == GpuKind::hopper);
  CHECK(dgx.inner_gbs == Approx(450));
  CHECK(dgx.multicast);
  CHECK(dgx.rails == 8);
  CHECK(dgx.rail_gbs == Approx(50));
  CHECK(dgx.switch_us > platform_of(preset_cluster("superpod-1024")).switch_us);
  CHECK(platform_of(preset_cluster("llama3-24576")).oversubscription == Approx(7));
  CHECK(platform_of(preset_cluster("8xA100-hdr"), 8).nodes == 1);
  CHECK(platform_of(preset_cluster("4xA100-100gbe")).inner != InnerLink::nvlink);
}

TEST_CASE("ranks that a cluster has no place for are refused by name") {
  const Cluster two = preset_cluster("8xA100-hdr");
  for (const std::int64_t ranks : {std::int64_t{-1}, std::int64_t{17}, std::int64_t{12}}) {
    try {
      platform_of(two, ranks);
      FAIL("taken");
    } catch (const Error& error) {
      CHECK(error.code() == Code::invalid_argument);
      CHECK(std::string(error.what()).find("8xA100-hdr") != std::string::npos);
    }
  }
}

TEST_CASE("GPUs are known by what drivers and people call them") {
  CHECK(gpu_kind_named("NVIDIA H100 80GB HBM3") == GpuKind::hopper);
  CHECK(gpu_kind_named("A100-SXM4-80GB") == GpuKind::ampere);
  CHECK(gpu_kind_named("NVIDIA GB200") == GpuKind::blackwell);
  CHECK(gpu_kind_named("NVIDIA GeForce RTX 4090") == GpuKind::ada);
  CHECK_FALSE(gpu_kind_named("something else").has_value());
}

TEST_CASE("cards for gamers keep peers out, those for workstations do not") {
  const auto inner = [](const char* model) {
    TopologyParts parts = preset("8xL40S").parts();
    for (Device& device : parts.devices) {
      if (device.kind == DeviceKind::gpu) device.model = model;
    }
    return platform_of(cluster_of(Topology(std::move(parts))), 0).inner;
  };
  for (const char* model : {"NVIDIA GeForce RTX 4090", "RTX 4080 SUPER", "RTX4090", "RTX 5090"}) {
    CAPTURE(model);
    CHECK(inner(model) == InnerLink::pcie_host);
  }
  for (const char* model : {"NVIDIA RTX 4000 Ada Generation", "NVIDIA RTX 5000 Ada Generation", "NVIDIA L40S"}) {
    CAPTURE(model);
    CHECK(inner(model) == InnerLink::pcie_peer);
  }
}

TEST_CASE("settings of the network change what they should, and are held to their ranges") {
  const Cluster pod = preset_cluster("superpod-1024", 4);
  const auto us = [&](const NetworkSettings& settings) {
    return price(Collective::all_reduce, 1024 * MiB, Pattern::ring, GpuProtocol::simple, platform_of(pod, 0, settings))
        .us;
  };
  const double plain = us({});
  CHECK(us({.queue_pairs = 4}) < plain);
  CHECK(us({.adaptive_routing = false}) > plain);
  CHECK(us({.gpu_direct = GpuDirect::off}) > 1.5 * plain);
  CHECK(us({.link_rate = 400}) == plain);
  CHECK(us({.link_rate = 200}) > 1.5 * plain);
  CHECK(us({.mtu = 256}) > 1.05 * plain);
  CHECK(us({.timeout = 22}) == plain);
  CHECK(platform_of(pod, 0, {.sharp = true}).switch_reduces);
  CHECK_FALSE(platform_of(preset_cluster("8xH100-roce400"), 0, {.sharp = true}).switch_reduces);
  CHECK_THROWS_AS(platform_of(pod, 0, {.queue_pairs = 0}), Error);
}
