#include "processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

extern char** environ;

namespace tutti::test {

namespace {

/// The variables of this process but for those that a launcher may have set, and `more`.
std::vector<std::string> variables_with(const Variables& more) {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string variable = *each;
    bool of_a_launcher = false;
    for (const char* prefix : {"TUTTI_", "OMPI_", "PMIX_", "PMI_", "SLURM_", "RANK=", "WORLD_SIZE=", "LOCAL_RANK="}) {
      of_a_launcher = of_a_launcher || variable.starts_with(prefix);
    }
    if (!of_a_launcher) variables.push_back(variable);
  }
  for (const auto& [name, value] : more) variables.push_back(name + "=" + value);
  return variables;
}

pid_t start(const std::string& tag, const Variables& more, int output) {
  std::vector<std::string> variables = variables_with(more);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  std::string program = "/proc/self/exe", filter = tag;
  char* arguments[] = {program.data(), filter.data(), nullptr};
  const pid_t child = fork();
  if (child != 0) return child;
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execve("/proc/self/exe", arguments, environment.data());
  _exit(127);
}

std::string text_in(int file) {
  std::string text;
  char piece[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t n; (n = read(file, piece, sizeof piece)) > 0;) text.append(piece, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

bool JobEnd::all_passed() const {
  for (const int each : status) {
    if (each != 0) return false;
  }
  return true;
}

std::string JobEnd::text() const {
  std::string text;
  for (std::size_t rank = 0; rank < status.size(); ++rank) {
    text += fmt::format("--- rank {}, status {:#x}\n{}\n", rank, static_cast<unsigned>(status[rank]), output[rank]);
  }
  return text;
}

// Instrumented code is some times slower, and what is slow has not hung.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int job_slowness = 4;
#else
constexpr int job_slowness = 1;
#endif

JobEnd run_job(int ranks, const std::string& tag, const Variables& more, int seconds) {
  static std::atomic<int> jobs{0};
  const std::string name = fmt::format("tutti-test-{}-{}", getpid(), jobs++);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(job_slowness * seconds);
  std::vector<pid_t> children;
  std::vector<int> outputs;
  for (int rank = 0; rank < ranks; ++rank) {
    Variables variables = {{"TUTTI_RANK", std::to_string(rank)},
                           {"TUTTI_WORLD_SIZE", std::to_string(ranks)},
                           {"TUTTI_STORE", "unix:" + name},
                           {"TUTTI_JOB", name}};
    variables.insert(variables.end(), more.begin(), more.end());
    variables.emplace_back("TUTTI_FLIGHT_RECORDER", "memory");  // unless set before; killed jobs would leave files
    outputs.push_back(memfd_create("output", MFD_CLOEXEC));
    children.push_back(start(tag, variables, outputs.back()));
  }
  JobEnd end;
  end.status.assign(static_cast<std::size_t>(ranks), -1);
  for (std::size_t rank = 0; rank < children.size(); ++rank) {
    while (waitpid(children[rank], &end.status[rank], WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        continue;
      }
      kill(children[rank], SIGKILL);
      waitpid(children[rank], nullptr, 0);
      end.status[rank] = -1;
      break;
    }
  }
  for (const int output : outputs) {
    end.output.push_back(text_in(output));
    close(output);
  }
  return end;
}

}  // namespace tutti::test
