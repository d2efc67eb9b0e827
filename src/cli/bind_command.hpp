/// @file  `tutti bind -- COMMAND`: a rank onto the NUMA node of its GPU, with the adapters beside it, then the command.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/environment.hpp"
#include "tutti/topology/binding.hpp"

namespace CLI {
class App;
}

namespace tutti::cli {

/// A rank's number on its host, as a launcher says it.
struct LocalRank {
  int rank = 0;
  int size = 1;        ///< above rank; rank + 1 when the launcher does not say
  std::string from{};  ///< the variable; empty: none is set, rank 0 of 1
};
/// From the variables of torchrun, Open MPI, MPICH, Slurm. Throws Error(invalid_argument) naming one that is no number, a size
/// below 1, or a rank that is not below its size.
LocalRank local_rank_from(const Environment& environment);

/// What is about to be done.
struct BindPlan {
  LocalRank local{};
  Binding binding{};
  std::string adapters{};  ///< for NCCL_IB_HCA; empty: none, or it is set already
  bool adapters_given = false;
  std::optional<std::string> hides_gpus{};  ///< CUDA_VISIBLE_DEVICES, when it is set and shows no GPU
};
BindPlan plan_bind(const Topology& topology, const Environment& environment);

/// "tutti bind: rank 3 of 8 on n01: gpu3 0000:…, NUMA node 1, CPUs 20-39, memory there first, NCCL_IB_HCA==mlx5_1".
/// `cpus` and `memory` say what the system granted.
std::string bind_line(const Topology& topology, const BindPlan& plan, const std::string& cpus,
                      const std::string& memory);

struct BindArguments {
  std::string machine{};  ///< a file or preset in place of this machine, for trying out
  bool dry_run = false;   ///< print the line, bind nothing, run nothing
  bool quiet = false;
  std::vector<std::string> command{};
};

/// Binds this process and becomes the command; returns only when that cannot be: 126 or 127 as shells do, or 0 after a
/// dry run. What the system refuses is said in the line and does no harm. The line goes to `out`.
int bind_command(const BindArguments& arguments, const Environment& environment, std::ostream& out);

void add_bind_command(CLI::App& app, int& status);

}  // namespace tutti::cli
