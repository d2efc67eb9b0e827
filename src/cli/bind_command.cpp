#include "cli/bind_command.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "topology/cpu_list.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/presets.hpp"
#include "tutti/topology/read.hpp"

namespace tutti::cli {

namespace {

[[noreturn]] void refuse(const std::string& what, const char* remedy = "correct it, or unset it") {
  throw Error(Code::invalid_argument, what, {.remedy = remedy});
}

/// A number below a million at the front of a text, which moves behind it; nothing where there is none.
std::optional<int> take_number(std::string_view& text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0 || value > 1'000'000) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

int whole_number(const char* variable, std::string_view text) {
  std::string_view rest = text;
  const auto value = take_number(rest);
  if (!value || !rest.empty()) refuse(fmt::format("{}={} is no number", variable, text));
  return *value;
}

/// Tasks of one node, from "8(x2),4" as Slurm counts them; nothing when the list does not reach so far.
std::optional<int> tasks_of_node(const char* variable, std::string_view text, int node) {
  std::string_view rest = text;
  for (int first = 0; !rest.empty();) {
    const auto tasks = take_number(rest);
    int nodes = 1;
    if (tasks && rest.starts_with("(x")) {
      rest.remove_prefix(2);
      nodes = take_number(rest).value_or(0);
      if (!rest.starts_with(')')) nodes = 0;
      rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
    }
    if (!tasks || nodes == 0 || !(rest.empty() || rest.starts_with(','))) {
      refuse(fmt::format("{}={} is no list of tasks such as 8(x2),4", variable, text));
    }
    if (node < first + nodes) return *tasks;
    first += nodes;
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  }
  return {};
}

/// The entries of a list that show a GPU. CUDA shows what stands before the first that names none: "-1", an empty one, or
/// "NoDevFiles", which Slurm sets for a task without GPUs.
std::vector<std::string> shown_by(const std::string& list) {
  std::vector<std::string> entries;
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    const auto entry = trim(std::string_view(list).substr(at, end - at));
    if (entry.empty() || entry.starts_with('-') || entry == "NoDevFiles") break;
    entries.emplace_back(entry);
    at = end + 1;
  }
  return entries;
}

/// The words that a set of numbers takes as bits of a kernel mask.
std::vector<unsigned long> mask_of(const std::vector<int>& numbers) {
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> words(1);
  for (const int number : numbers) {
    const auto at = static_cast<std::size_t>(number);
    if (at / bits >= words.size()) words.resize(at / bits + 1);
    words[at / bits] |= 1UL << (at % bits);
  }
  return words;
}

/// Returns what the process may run on afterwards, or why it may not.
std::string bind_cpus(const std::vector<int>& cpus) {
  if (cpus.empty()) return "CPUs as they were: which are near is not known";
  const auto mask = mask_of(cpus);
  if (syscall(SYS_sched_setaffinity, 0, mask.size() * sizeof(mask[0]), mask.data()) != 0) {
    return fmt::format("CPUs as they were: {} ({})", format_cpu_list(cpus), std::system_category().message(errno));
  }
  std::array<unsigned long, 1024> granted{};
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(granted), granted.data());
  std::vector<int> allowed;
  for (long bit = 0; bit < bytes * 8; ++bit) {
    if (granted[static_cast<std::size_t>(bit) / 64] >> (bit % 64) & 1) allowed.push_back(static_cast<int>(bit));
  }
  return "CPUs " + format_cpu_list(allowed);
}

std::string prefer_memory(int node) {
  constexpr int preferred = 1;  // MPOL_PREFERRED: elsewhere when the node is full
  if (node < 0) return "memory anywhere";
  const auto mask = mask_of({node});
  if (syscall(SYS_set_mempolicy, preferred, mask.data(), mask.size() * 8 * sizeof(mask[0]) + 1) != 0) {
    return fmt::format("memory anywhere ({})", std::system_category().message(errno));
  }
  return "memory there first";
}

}  // namespace

LocalRank local_rank_from(const Environment& environment) {
  struct Names {
    const char* rank;
    const char* size;
  };
  // As the library looks for them: who was started last counts, so torchrun before the mpirun or srun around it.
  for (const Names& names : {Names{"LOCAL_RANK", "LOCAL_WORLD_SIZE"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                             {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                             {"SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"}}) {
    const auto rank = environment(names.rank);
    if (!rank) continue;
    LocalRank local{.rank = whole_number(names.rank, *rank), .from = names.rank};
    local.size = local.rank + 1;
    const auto text = environment(names.size);
    if (!text) return local;
    std::optional<int> size;
    if (std::string_view(names.size).starts_with("SLURM")) {
      const auto node = environment("SLURM_NODEID");
      if (!node && text->find(',') != std::string::npos) return local;
      size = tasks_of_node(names.size, *text, node ? whole_number("SLURM_NODEID", *node) : 0);
      if (!size) return local;
    } else {
      size = whole_number(names.size, *text);
    }
    if (*size < 1) refuse(fmt::format("{}={}; expected at least 1 rank on this host", names.size, *text));
    if (local.rank >= *size) {
      refuse(fmt::format("{}={} is not below {}={}", names.rank, local.rank, names.size, *text),
             "ranks count from 0; correct one of the two");
    }
    local.size = *size;
    return local;
  }
  return {};
}

BindPlan plan_bind(const Topology& topology, const Environment& environment) {
  BindPlan plan{.local = local_rank_from(environment)};
  std::optional<std::vector<std::string>> visible;
  if (const auto list = environment("CUDA_VISIBLE_DEVICES")) {
    visible = shown_by(*list);
    if (visible->empty()) plan.hides_gpus = *list;
  }
  plan.binding = bind_rank(topology, 0, plan.local.rank, plan.local.size, visible);
  plan.adapters_given = environment("NCCL_IB_HCA").has_value();
  if (!plan.adapters_given) plan.adapters = adapters_for_nccl(topology, plan.binding);
  return plan;
}

std::string bind_line(const Topology& topology, const BindPlan& plan, const std::string& cpus,
                      const std::string& memory) {
  const Binding& binding = plan.binding;
  const std::string& host = topology.hosts().front().host;
  std::string line = fmt::format("tutti bind: local rank {} of {}{}", plan.local.rank, plan.local.size,
                                 host.empty() ? "" : " on " + host);
  if (binding.gpu >= 0) {
    const Device& gpu = topology.device(binding.gpu);
    line += fmt::format(": {}{}", gpu.name, gpu.pci.empty() ? "" : " " + gpu.pci);
  } else {
    line += ": no GPU";
    if (plan.hides_gpus) line += fmt::format(" (CUDA_VISIBLE_DEVICES={} shows none)", shown(*plan.hides_gpus, 40));
  }
  line += binding.numa_node >= 0 ? fmt::format(", NUMA node {}", binding.numa_node) : ", NUMA node not known";
  line += fmt::format(", {}, {}", cpus, memory);
  if (plan.adapters_given) line += ", NCCL_IB_HCA as it was";
  if (!plan.adapters.empty()) line += fmt::format(", NCCL_IB_HCA={}", plan.adapters);
  return line;
}

int bind_command(const BindArguments& arguments, const Environment& environment, std::ostream& out) {
  if (arguments.command.empty() && !arguments.dry_run) {
    throw Error(Code::invalid_argument, "tutti bind needs a command", {.remedy = "write: tutti bind -- COMMAND …"});
  }
  const Topology topology = arguments.machine.empty() ? this_machine() : from_file_or_preset(arguments.machine);
  if (topology.hosts().empty()) throw Error(Code::invalid_argument, fmt::format("{} has no host", topology.name()));
  const BindPlan plan = plan_bind(topology, environment);
  if (arguments.dry_run) {
    const auto& cpus = plan.binding.cpus;
    out << bind_line(topology, plan,
                     cpus.empty() ? "CPUs as they were: which are near is not known" : "CPUs " + format_cpu_list(cpus),
                     plan.binding.numa_node < 0 ? "memory anywhere" : "memory there first")
        << "; a dry run: nothing was bound or started\n";
    return 0;
  }
  const auto cpus = bind_cpus(plan.binding.cpus);
  const auto memory = prefer_memory(plan.binding.numa_node);
  if (!arguments.quiet) out << bind_line(topology, plan, cpus, memory) << std::endl;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): this process has one thread, and is about to become the command
  if (!plan.adapters.empty()) setenv("NCCL_IB_HCA", plan.adapters.c_str(), 0);
  std::vector<std::string> words = arguments.command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv.front(), argv.data());
  const int error = errno;
  out << fmt::format("tutti: {}: {}\n", words.front(), std::system_category().message(error));
  return error == ENOENT ? 127 : 126;
}

void add_bind_command(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<BindArguments>();
  CLI::App* bind =
      app.add_subcommand("bind", "Run a command on the NUMA node of its GPU: mpirun tutti bind -- COMMAND");
  bind->add_option("--topology", arguments->machine, "A file or preset in place of this machine");
  bind->add_flag("--dry-run", arguments->dry_run, "Say what would be bound, and run nothing");
  bind->add_flag("-q,--quiet", arguments->quiet, "Print no line");
  bind->add_option("COMMAND", arguments->command, "What to run, and its arguments, after --");
  bind->callback([arguments, &status] { status = bind_command(*arguments, process_environment(), std::cerr); });
}

}  // namespace tutti::cli
