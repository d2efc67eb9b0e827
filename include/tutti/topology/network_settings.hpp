/// @file  NetworkSettings: how adapters are used, as one value: for NCCL in a real run, for prices in a simulated one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tutti/topology/cluster.hpp"

namespace tutti {

/// How far apart a GPU and an adapter may be for the adapter to read and write the GPU's memory itself.
enum class GpuDirect : std::uint8_t {
  off,  ///< never: through the processors' memory
  pix,  ///< below one PCI switch
  pxb,  ///< below several
  phb,  ///< through one NUMA node's host bridge
  sys,  ///< anywhere in the host
};
/// "off", "PIX", "PXB", "PHB", "SYS"; NCCL calls the first LOC.
std::string_view name(GpuDirect level) noexcept;
std::optional<GpuDirect> gpu_direct_named(std::string_view name) noexcept;

/// What is not set keeps NCCL's default in a real run, and the cluster's own value in a simulated one. Plain data;
/// check() holds it to the ranges that the comments say.
struct NetworkSettings {
  // What the fabric is. NCCL reads these from the adapters and has no variables for them.
  std::optional<double> link_rate{};    ///< Gbit/s of one port, one direction: 1 to 3200
  std::optional<std::int64_t> ports{};  ///< of one adapter, used together: 1 or 2
  std::optional<std::int64_t> rails{};  ///< adapters of a node: 1 to 64
  std::optional<double> latency{};      ///< microseconds one way, adapter to adapter: 0 to 1,000,000
  std::optional<std::int64_t> mtu{};    ///< bytes of payload in a packet: 256, 512, 1024, 2048, 4096

  // How it is used.
  std::optional<bool> adaptive_routing{};            ///< packets of a message may take different ways
  std::optional<std::int64_t> adaptive_threshold{};  ///< bytes above which a message is routed so: 0 to 2^30
  std::optional<std::int64_t> queue_pairs{};         ///< of a connection: 1 to 128
  std::optional<bool> split_data{};                  ///< each message over all of them; else in turn
  std::optional<std::int64_t> timeout{};      ///< t of 4.096 us x 2^t until a packet is sent again: 0 (for ever) to 31
  std::optional<std::int64_t> retry_count{};  ///< times, before the connection fails: 0 to 7
  std::optional<std::int64_t> traffic_class{};  ///< 0 to 255; RoCE: DSCP times 4
  std::optional<std::int64_t> service_level{};  ///< InfiniBand: 0 to 15
  std::optional<std::int64_t> gid_index{};      ///< RoCE: entry of the port's table, 0 to 255
  std::optional<GpuDirect> gpu_direct{};
  std::optional<bool> gpu_direct_read{};      ///< also for sending
  std::optional<bool> pxn{};                  ///< adapters are used through the NVLink of the GPU beside them
  std::optional<std::int64_t> cross_rails{};  ///< 0 never, 1 as it comes, 2 when that is faster
  std::optional<bool> sharp{};                ///< switches reduce
  std::string adapters{};                     ///< which: "mlx5_0,mlx5_1", as NCCL_IB_HCA takes it; empty: all

  bool operator==(const NetworkSettings&) const = default;
};

/// One setting, for lists and help.
struct NetworkSettingFacts {
  std::string_view key;       ///< "queue_pairs", as on the command line
  std::string_view variable;  ///< "NCCL_IB_QPS_PER_CONNECTION"; empty: NCCL has none
  std::string_view range;     ///< "1 to 128"
  std::string_view fallback;  ///< NCCL's default: "1"; empty: not NCCL's
  std::string_view what;
};
std::span<const NetworkSettingFacts> network_setting_facts();

/// Throws Error(invalid_argument) naming the setting, its value and its range. `what` stands before ("--set").
void check(const NetworkSettings& settings, std::string_view what = "network settings");

/// Sets one by its key: "timeout", "22". Throws Error(invalid_argument) for unknown keys (naming the nearest) and values.
void set(NetworkSettings& settings, std::string_view key, std::string_view value);

using NcclVariables = std::map<std::string, std::string, std::less<>>;

/// NCCL's variables for what is set, and no others.
NcclVariables to_nccl_variables(const NetworkSettings& settings);

/// From NCCL's variables, as NCCL reads them (decimal, 0x hex, leading 0 octal). Others are passed over. Throws
/// Error(invalid_argument) naming variable, value and range.
NetworkSettings network_settings_from(const NcclVariables& variables);

/// "timeout=22 queue_pairs=4", keys as set() takes them; empty when nothing is set.
std::string to_string(const NetworkSettings& settings);

/// Seconds until a packet that nobody acknowledged is sent again: 4.096 us x 2^t, with NCCL's default t = 20 when it is
/// not set; infinity for t = 0. Adapters may take up to four times as long (InfiniBand specification, volume 1, 9.7.6.1.3).
double acknowledge_timeout(const NetworkSettings& settings);
/// Seconds until the connection fails: one of these after the first time a packet is sent, and one after each retry, of which
/// there are 7 when not set.
double give_up_after(const NetworkSettings& settings);

/// The share of a link's rate that payload gets at this MTU, 4096 when not set: packets of InfiniBand carry 26 bytes of
/// headers and checks, those of RoCE 82 with the gap between them.
double payload_share(const NetworkSettings& settings, bool roce);

/// The cluster with the rate, ports, rails and latency that are set. Throws what Cluster's constructor throws.
Cluster with(const Cluster& cluster, const NetworkSettings& settings);

}  // namespace tutti
