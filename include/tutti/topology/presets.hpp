/// @file  Presets: machines that people have, by name, each number with where it comes from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/topology/topology.hpp"

namespace tutti {

/// A number of a preset, or what stands in for one, and who says so.
struct SourcedFact {
  std::string_view what;    ///< "8 H100 SXM, 18 NVLinks each to 4 NVSwitches"
  std::string_view source;  ///< "NVIDIA DGX H100 user guide, …", or "assumed: …"
};

struct Preset {
  std::string_view name;  ///< "dgx-h100"; found without regard to case
  std::string_view what;  ///< one line for a list
  std::span<const SourcedFact> facts;
};

/// All machines, as they are listed.
std::span<const Preset> presets();

/// The preset of that name, or of one of its other names ("hgx-h100"); null when there is none.
const Preset* find_preset(std::string_view name);

/// The machine. Its numbers count as assumed, for nobody looked at it. Throws Error(invalid_argument) that names
/// the nearest name when there is none.
Topology preset(std::string_view name);

/// What users name where a machine is expected: "preset:dgx-a100" is the preset, "dgx-a100" too unless a file of that
/// name exists, and everything else is a file for from_file(). Throws what these throw; where there is no such file, the
/// remedy names the nearest preset.
Topology from_file_or_preset(const std::string& name);

}  // namespace tutti
