#include "cli/bench_emulated.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tutti/base/environment.hpp"
#include "tutti/base/error.hpp"

namespace tutti::bench {

namespace {

constexpr int most_devices = 64;

/// As this process was started, with the option's name for the second time around.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    std::string argument = all.substr(at, end - at);
    if (argument == "--emulated" || argument.starts_with("--emulated=")) {
      argument.replace(0, std::strlen("--emulated"), "--inside-emulation");
    }
    arguments.push_back(std::move(argument));
    at = end + 1;
  }
  return arguments;
}

}  // namespace

void start_again_emulated(int devices) {
  if (devices < 1 || devices > most_devices) {
    throw Error(Code::invalid_argument, fmt::format("--emulated {}", devices),
                {.operation = "bench", .remedy = fmt::format("use 1 to {} devices", most_devices)});
  }
#ifdef TUTTI_EMULATED_FOLDER
  const std::string folder = TUTTI_EMULATED_FOLDER;
  const std::string runtime = folder + "/libcudart.so.13";
  if (access(runtime.c_str(), R_OK) != 0) {
    throw Error(Code::unsupported, fmt::format("{}: {}", runtime, std::strerror(errno)),
                {.operation = "bench", .remedy = "build the tests: they bring the emulated libraries"});
  }
  const std::string before = process_environment()("LD_LIBRARY_PATH").value_or("");
  setenv("LD_LIBRARY_PATH", (before.empty() ? folder : folder + ":" + before).c_str(), 1);
  setenv("EMULATED_CUDA_DEVICES", std::to_string(devices).c_str(), 1);
  setenv("EMULATED_CUDA_MULTIPROCESSORS", "16", 1);
  setenv("EMULATED_CUDA_KERNELS", (folder + "/libtutti_emulated_collectives.so").c_str(), 1);
  std::vector<std::string> arguments = own_arguments();
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv("/proc/self/exe", pointers.data());
  throw Error(Code::resource, fmt::format("/proc/self/exe: {}", std::strerror(errno)),
              {.operation = "bench", .remedy = "mount /proc"});
#else
  throw Error(Code::unsupported, "this build of tutti has no emulated GPUs",
              {.operation = "bench", .remedy = "build it with its tests, where CUDA's headers are"});
#endif
}

}  // namespace tutti::bench
