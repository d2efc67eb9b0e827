/// @file  Reading settings: from `env`'s output, /proc/PID/environ, shell and Slurm scripts, nccl.conf, YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "settings/setting.hpp"

namespace tutti::settings {

/// The settings in a text, one element for each rank that prefixes of launchers tell apart ("[1,3]<stdout>:",
/// "3: "), else one. Understands NAME=value alone and before a command, export, setenv, mpirun -x and --mca, srun
/// --export (also after #SBATCH), docker -e, and YAML's name and value. Never throws for content.
std::vector<Settings> read_settings(std::string_view text, const std::string& place);

/// The settings among the arguments of a command line, "NAME=value" or a whole line of a shell.
Settings settings_of_line(std::string_view line);

}  // namespace tutti::settings
