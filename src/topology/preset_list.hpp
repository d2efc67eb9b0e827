/// @file  The list behind presets(): each machine in few words, with the sources of its numbers.
#pragma once

#include <span>
#include <string_view>

#include "topology/preset_machine.hpp"
#include "tutti/topology/presets.hpp"

namespace tutti {

struct PresetEntry {
  Preset preset;
  PresetMachine machine;
  std::string_view other_name{};
};

std::span<const PresetEntry> preset_list();

}  // namespace tutti
