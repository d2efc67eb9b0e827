/// @file  Readings: what the GPUs and the network ports of this host say of themselves, now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/nvml.hpp"

namespace tutti::metrics {

/// What a GPU does not tell is empty.
struct GpuReading {
  int index = 0;  ///< NVML's
  std::string uuid{};
  std::string name{};
  std::optional<double> utilisation{};         ///< 0 to 1: part of the last moments in which a kernel ran
  std::optional<std::uint64_t> memory_used{};  ///< bytes
  std::optional<std::uint64_t> memory_total{};
  std::optional<double> temperature{};  ///< degrees Celsius
  std::optional<double> power{};        ///< watts
  std::optional<double> power_limit{};
  std::optional<std::uint64_t> nvlink_sent{};  ///< bytes since the driver began to count; all links
  std::optional<std::uint64_t> nvlink_received{};
  std::optional<std::uint64_t> pcie_sent{};
  std::optional<std::uint64_t> pcie_received{};
};

/// Bytes since the counters began, of everybody on the machine.
struct PortReading {
  std::string link{};    ///< "infiniband", "roce" or "ethernet"
  std::string device{};  ///< "mlx5_0:1", "eth0"
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// At most 64 GPUs; those that are lost are left out.
std::vector<GpuReading> read_gpus(const nvml::Functions& functions);

/// Below `root` ("" for this machine) are the kernel's sys/class/infiniband and sys/class/net. At most 64 ports: adapters,
/// and where there is no network adapter, whatever carries packets but for the loopback. What cannot be read is left out.
std::vector<PortReading> read_ports(const std::string& root);

}  // namespace tutti::metrics
