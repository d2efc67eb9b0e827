/// @file  Snapshot: what a machine's files and tools say, as a value that can be written, read and judged elsewhere.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/environment.hpp"

namespace tutti::doctor {

struct Snapshot {
  std::string host{};
  std::map<std::string, std::string> files{};                 ///< "proc/meminfo" → its text
  std::map<std::string, std::vector<std::string>> folders{};  ///< "sys/class/net" → its names, sorted
  std::map<std::string, std::string> outputs{};               ///< "nvidia-smi -q -x" → what it printed
  std::map<std::string, std::string> facts{};                 ///< what is no text of a file: "acs/0000:00:01.0"
  std::map<std::string, std::string> environment{};           ///< settings that tutti env looks at, SLURM_ and the like

  /// The text of a file; nothing when it was not there.
  std::optional<std::string_view> text(const std::string& path) const;
  /// A file that holds one number, decimal or 0x…; nothing when it does not.
  std::optional<long> number(const std::string& path) const;
  /// The names in a folder; none when it was not there.
  const std::vector<std::string>& names(const std::string& folder) const;

  bool operator==(const Snapshot&) const = default;
};

/// Where a machine is looked at; tests replace all of it.
struct Source {
  std::filesystem::path root = "/";
  /// What a command prints, nothing when it fails; null: no commands are run.
  std::function<std::optional<std::string>(const std::string& command)> run{};
  Environment environment{};
  std::vector<std::string> variable_names{};
};

/// Looks at a machine. Takes well under a second without nvidia-smi. Never throws for what is missing.
Snapshot collect(const Source& source);

/// The machine this process runs on, with nvidia-smi where there is one. No process runs longer than 20 s.
Source this_machine_source();

/// As JSON, and back. Throws Error(invalid_argument) naming `name` when the text is no snapshot.
std::string write_snapshot(const Snapshot& snapshot);
Snapshot read_snapshot(std::string_view text, const std::string& name);

}  // namespace tutti::doctor
