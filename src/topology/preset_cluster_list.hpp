/// @file  The list behind cluster_presets().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tutti/topology/preset_clusters.hpp"

namespace tutti {

struct PresetTier {
  std::string_view name;
  std::int64_t nodes;
  double oversubscription;
  double latency;  ///< microseconds through one switch
};

struct PresetCluster {
  Preset preset;
  std::string_view machine;
  std::int64_t nodes;
  std::string_view link;
  double bandwidth;  ///< GB/s one way of a rail
  double latency;    ///< microseconds from adapter to adapter
  int rails;
  RailWiring wiring;
  std::span<const PresetTier> tiers;
};

std::span<const PresetCluster> preset_cluster_list();

}  // namespace tutti
