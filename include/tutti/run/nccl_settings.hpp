/// @file  NcclSettings: how a communicator uses NCCL, as one value.
#pragma once

#include <optional>
#include <string>

#include "tutti/topology/network_settings.hpp"

namespace tutti {

/// What is not set is NCCL's own choice. The same on all ranks. docs/nccl.md says since which version NCCL has each; a
/// setting that the library found is too old for is refused when the communicator first uses NCCL.
struct NcclSettings {
  std::string library{};  ///< path or name; empty: libnccl.so.2

  // In the configuration of one communicator.
  std::optional<int> min_ctas{};       ///< thread blocks, at least: 1 to 64
  std::optional<int> max_ctas{};       ///< and at most
  std::optional<int> cga_cluster{};    ///< blocks of a cluster: 0 to 8
  std::string network{};               ///< the module: "Socket", "IB"
  std::optional<bool> split_share{};   ///< communicators split from it share its resources
  std::optional<int> traffic_class{};  ///< of its packets: 0 to 255
  std::optional<bool> collnet{};       ///< reductions in the network's switches
  std::optional<int> cta_policy{};     ///< 0 default, 1 few blocks, 2 none where copy engines can do it
  std::optional<int> nvls_ctas{};      ///< blocks of reductions in NVSwitches
  std::optional<int> channels_per_net_peer{};
  std::optional<bool> nvlink_centric{};

  // Variables that NCCL reads when a communicator is made; tutti sets them around that.
  std::string algorithms{};  ///< what NCCL may choose from: "Ring,Tree", "^NVLS"
  std::string protocols{};   ///< "Simple", "LL,LL128"

  // Variables that NCCL reads once in a process.
  NetworkSettings fabric{};  ///< of InfiniBand and RoCE

  bool operator==(const NcclSettings&) const = default;
};

}  // namespace tutti
