/// @file  What nvidia-smi says about each GPU, from `nvidia-smi -q -x`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/snapshot.hpp"

namespace tutti::doctor {

struct SmiGpu {
  int index = 0;
  std::string id{};                           ///< "00000000:07:00.0"
  std::string name{};                         ///< "NVIDIA A100-SXM4-80GB"
  std::map<std::string, std::string> says{};  ///< "ecc_mode/current_ecc" → "Enabled"

  /// "gpu3 (NVIDIA A100-SXM4-80GB)"
  std::string title() const;
  std::string_view say(const std::string& path) const;
  /// The first of the paths that begins with a number: "400.00 W" → 400. Nothing when none does.
  std::optional<double> number(std::initializer_list<const char*> paths) const;
  /// Is a reason to slow down active? Its name without the prefix that changed over time.
  bool slowed_by(std::string_view reason) const;
};

/// None when there is no output, or it is no XML.
std::vector<SmiGpu> smi_gpus(const Snapshot& snapshot);

}  // namespace tutti::doctor
