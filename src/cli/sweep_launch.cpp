#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>
#include <thread>

#include "cli/judge_result.hpp"
#include "cli/simulate_options.hpp"
#include "cli/sweep_measure.hpp"
#include "tutti/base/error.hpp"
#include "tutti/topology/network_settings.hpp"

namespace tutti::sweep {

namespace {

using Clock = std::chrono::steady_clock;

/// NCCL's names of what is compared.
NcclVariables nccl_variables(const Combination& combination) {
  static const std::map<std::string, std::string> algorithms{{"ring", "Ring"},
                                                             {"tree", "Tree"},
                                                             {"multicast", "NVLS"},
                                                             {"multicast_tree", "NVLSTree"},
                                                             {"switch_reduction", "CollnetDirect"}};
  static const std::map<std::string, std::string> protocols{{"ll", "LL"}, {"ll128", "LL128"}, {"simple", "Simple"}};
  NcclVariables variables;
  if (algorithms.contains(combination.algorithm)) variables["NCCL_ALGO"] = algorithms.at(combination.algorithm);
  if (protocols.contains(combination.protocol)) variables["NCCL_PROTO"] = protocols.at(combination.protocol);
  if (combination.channels > 0) {
    variables["NCCL_MIN_NCHANNELS"] = variables["NCCL_MAX_NCHANNELS"] = std::to_string(combination.channels);
  }
  return variables;
}

/// What nccl-tests multiply by from one size to the next; 2 for one size.
std::size_t factor_of(const std::vector<std::size_t>& sizes) {
  if (sizes.size() == 1) return 2;
  const std::size_t factor = sizes[1] / sizes[0];
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (sizes[i] == sizes[i - 1] * factor) continue;
    throw Error(Code::invalid_argument, "nccl-tests take sizes that grow by one factor",
                {.operation = "bench sweep", .remedy = "give --sizes like 1K,16K,256K,4M"});
  }
  return factor;
}

std::string text_in(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The last thing that tutti says, else the first that is no heading.
std::string telling_line(const std::string& text) {
  std::istringstream lines(text);
  std::string first;
  std::string told;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("tutti:")) told = line;
    const bool heading = line.starts_with("#") || line.find_first_not_of(" \t-") == std::string::npos;
    if (first.empty() && !heading) first = line;
  }
  constexpr std::size_t most = 200;
  return (told.empty() ? first : told).substr(0, most);
}

struct Files {
  std::string output;  ///< what the launch prints
  std::string json;    ///< what tutti bench writes
  Files() {
    const std::string base =
        (std::filesystem::temp_directory_path() / fmt::format("tutti-sweep-{}", ::getpid())).string();
    output = base + ".txt";
    json = base + ".json";
  }
  ~Files() {
    ::unlink(output.c_str());
    ::unlink(json.c_str());
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
};

/// Waits for its end; empty, or what went wrong. It is ended with this process, and at the limit.
std::string run(const std::vector<std::string>& words, const std::string& output, double limit_s) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: exec's form
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw_errno(Code::resource, "no process can be started");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent || std::freopen(output.c_str(), "w", stdout) == nullptr) ::_exit(126);
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    if (std::freopen("/dev/null", "r", stdin) == nullptr) ::_exit(126);
    ::execvp(arguments[0], arguments.data());
    fmt::print(stderr, "{} cannot be started: {}\n", words[0], std::system_category().message(errno));
    std::fflush(nullptr);
    ::_exit(127);
  }
  const auto end = Clock::now() + std::chrono::duration<double>(limit_s);
  int status = 0;
  bool late = false;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (!late && Clock::now() > end) {
      late = true;
      ::kill(child, SIGTERM);
    } else if (late && Clock::now() > end + std::chrono::seconds(5)) {
      ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (late) return fmt::format("it took more than {} s (--limit)", limit_s);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFSIGNALED(status) ? fmt::format("it ended by signal {}", WTERMSIG(status))
                                              : fmt::format("exit status {}", WEXITSTATUS(status));
  return fmt::format("{}: {}", how, telling_line(text_in(output)));
}

}  // namespace

std::vector<std::string> launch_words(const SweepOptions& options, const SweepPlan& plan,
                                      const Combination& combination, const std::string& self,
                                      const std::string& json) {
  std::vector<std::string> words;
  std::istringstream launcher(options.launcher);
  for (std::string word; launcher >> word;) words.push_back(word);
  if (words.empty()) {
    throw Error(Code::invalid_argument, "--launcher is empty", {.remedy = "name mpirun, srun, or their whole words"});
  }
  if (words.size() == 1) {
    words.emplace_back(words[0].ends_with("srun") ? "-n" : "-np");
    words.push_back(std::to_string(plan.ranks));
  }
  NcclVariables variables = to_nccl_variables(cli::settings_of(combination.set()));
  if (!options.program.empty()) variables.merge(nccl_variables(combination));
  words.emplace_back("env");
  for (const auto& [key, value] : variables) words.push_back(key + "=" + value);
  if (!options.program.empty()) {
    for (const std::string& word :
         {options.program, std::string("-b"), std::to_string(plan.sizes.front()), std::string("-e"),
          std::to_string(plan.sizes.back()), std::string("-f"), std::to_string(factor_of(plan.sizes))}) {
      words.push_back(word);
    }
    return words;
  }
  std::string sizes;
  for (const std::size_t size : plan.sizes) sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
  for (const std::string& word :
       {self, std::string("bench"), std::string("all_reduce"), std::string("--sizes"), sizes,
        std::string("--algorithm"), combination.algorithm, std::string("--protocol"), combination.protocol,
        std::string("--in-place"), std::string("1"), std::string("--seconds"), fmt::format("{}", options.seconds),
        std::string("--quiet"), std::string("--json"), json}) {
    words.push_back(word);
  }
  return words;
}

void launch_one(const SweepOptions& options, const SweepPlan& plan, const Combination& combination, Outcome& outcome) {
  const Files files;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string wrong =
      run(launch_words(options, plan, combination, self, files.json), files.output, options.limit);
  if (!wrong.empty()) {
    outcome.excluded = wrong;
    return;
  }
  cli::MeasuredTable table;
  try {
    const bool ours = options.program.empty();
    table = cli::read_result(text_in(ours ? files.json : files.output), ours ? "tutti bench" : options.program);
  } catch (const Error& error) {
    outcome.excluded = error.reason();
    return;
  }
  for (std::size_t size = 0; size < plan.sizes.size(); ++size) {
    for (const cli::MeasuredRow& row : table.rows) {
      if (row.bytes != static_cast<double>(plan.sizes[size])) continue;
      outcome.cells[size].us.push_back(row.us);
      break;
    }
  }
}

}  // namespace tutti::sweep
