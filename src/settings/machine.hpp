/// @file  Machine: the adapters, interfaces and files that settings may name.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::settings {

struct Machine {
  std::map<std::string, std::vector<int>> adapters{};  ///< InfiniBand and RoCE, each with its ports
  std::vector<std::string> interfaces{};               ///< of the network namespace at hand
  std::filesystem::path root = "/";
};

/// What lies under root/sys. Never throws; what is missing there is not in the result.
Machine read_machine(const std::filesystem::path& root = "/");

}  // namespace tutti::settings
