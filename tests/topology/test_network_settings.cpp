#include "tutti/topology/network_settings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "catch.hpp"
#include "contains.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/preset_clusters.hpp"

using namespace tutti;

TEST_CASE("network settings become NCCL's variables and come back") {
  NetworkSettings settings;
  for (const auto& [key, value] : {std::pair{"timeout", "22"},
                                   {"retry_count", "7"},
                                   {"queue_pairs", "4"},
                                   {"split_data", "1"},
                                   {"adaptive_routing", "on"},
                                   {"adaptive_threshold", "0x2000"},
                                   {"traffic_class", "106"},
                                   {"service_level", "3"},
                                   {"gid_index", "3"},
                                   {"gpu_direct", "phb"},
                                   {"gpu_direct_read", "0"},
                                   {"pxn", "0"},
                                   {"cross_rails", "1"},
                                   {"sharp", "1"},
                                   {"adapters", "=mlx5_0,mlx5_1"}}) {
    set(settings, key, value);
  }
  const NcclVariables expected{{"NCCL_IB_TIMEOUT", "22"},
                               {"NCCL_IB_RETRY_CNT", "7"},
                               {"NCCL_IB_QPS_PER_CONNECTION", "4"},
                               {"NCCL_IB_SPLIT_DATA_ON_QPS", "1"},
                               {"NCCL_IB_ADAPTIVE_ROUTING", "1"},
                               {"NCCL_IB_AR_THRESHOLD", "8192"},
                               {"NCCL_IB_TC", "106"},
                               {"NCCL_IB_SL", "3"},
                               {"NCCL_IB_GID_INDEX", "3"},
                               {"NCCL_NET_GDR_LEVEL", "PHB"},
                               {"NCCL_NET_GDR_READ", "0"},
                               {"NCCL_PXN_DISABLE", "1"},
                               {"NCCL_CROSS_NIC", "1"},
                               {"NCCL_COLLNET_ENABLE", "1"},
                               {"NCCL_IB_HCA", "=mlx5_0,mlx5_1"}};
  CHECK(to_nccl_variables(settings) == expected);
  CHECK(network_settings_from(expected) == settings);
  CHECK(to_nccl_variables({}).empty());
  CHECK(network_settings_from({{"NCCL_DEBUG", "INFO"}, {"NCCL_IB_TC", "-1"}, {"NCCL_IB_GID_INDEX", "-1"}}) ==
        NetworkSettings{});
  CHECK(to_nccl_variables({.gpu_direct = GpuDirect::off}) == NcclVariables{{"NCCL_NET_GDR_LEVEL", "LOC"}});
}

TEST_CASE("every network setting is set by its key, said again, and held to its range") {
  std::set<std::string_view> keys;
  for (const NetworkSettingFacts& facts : network_setting_facts()) {
    const std::string key(facts.key);
    CAPTURE(key);
    CHECK(keys.insert(facts.key).second);
    NetworkSettings settings;
    const char* good = key == "gpu_direct" ? "SYS" : key == "adapters" ? "mlx5_0" : key == "mtu" ? "1024" : "1";
    set(settings, facts.key, good);
    CHECK(to_string(settings) == fmt::format("{}={}", key, good));
    CHECK(settings != NetworkSettings{});
    CHECK_NOTHROW(check(settings));
    for (const char* bad : {"two words", "1e99", "-5", "99999999999999999999", ""}) {
      if (key == "adapters" && std::string(bad) != "two words") continue;
      CAPTURE(bad);
      CHECK_THROWS_WITH(set(settings, facts.key, bad), contains(key + "=") && contains(std::string(facts.range)));
    }
  }
  NetworkSettings settings;
  CHECK_THROWS_WITH(set(settings, "mtu", "1500"), contains("256, 512"));
  CHECK_THROWS_WITH(set(settings, "retry_count", "15"), contains("0 to 7"));
  CHECK_THROWS_WITH(set(settings, "qpairs", "1"), contains("did you mean"));
  CHECK_THROWS_WITH(network_settings_from({{"NCCL_IB_TIMEOUT", "32"}}),
                    contains("NCCL_IB_TIMEOUT=32: expected 0 to 31"));
  CHECK_THROWS_WITH(check({.queue_pairs = 500}, "sweep.json"), contains("sweep.json: queue_pairs=500"));
  CHECK_THROWS_WITH(to_nccl_variables({.timeout = -3}), contains("timeout=-3"));
}

TEST_CASE("the time-out is 4.096 us times a power of two, and a connection fails after the first try and the retries") {
  CHECK(acknowledge_timeout({.timeout = 14}) == Approx(0.0671).epsilon(0.001));
  CHECK(acknowledge_timeout({.timeout = 18}) == Approx(1.0737).epsilon(0.001));
  CHECK(acknowledge_timeout({}) == Approx(4.295).epsilon(0.001));
  CHECK(give_up_after({}) == Approx(34.36).epsilon(0.001));
  CHECK(give_up_after({.timeout = 22}) == Approx(137.44).epsilon(0.001));
  CHECK(give_up_after({.timeout = 20, .retry_count = 0}) == Approx(4.295).epsilon(0.001));
  CHECK(std::isinf(acknowledge_timeout({.timeout = 0})));
}

TEST_CASE("payload gets what headers leave of a packet") {
  CHECK(payload_share({}, false) == Approx(4096.0 / 4122));
  CHECK(payload_share({.mtu = 1024}, true) == Approx(1024.0 / 1106));
}

TEST_CASE("a cluster takes the rate, ports, rails and latency that are set") {
  const Cluster before = preset_cluster("8xA100-hdr");
  const Cluster after = with(before, {.link_rate = 400, .rails = 4, .latency = 2.5});
  CHECK(after.fabric().bandwidth.value == 50);
  CHECK(after.fabric().rails == 4);
  CHECK(after.fabric().latency.value == 2.5);
  CHECK(with(before, {.link_rate = 100, .ports = 2}).fabric().bandwidth.value == 25);
  CHECK(with(before, {}) == before);
  CHECK_THROWS_WITH(with(before, {.rails = 9}), contains("rails"));
}
