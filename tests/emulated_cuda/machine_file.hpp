/// @file  MachineFile: the virtual machine that EMULATED_MACHINE names: its GPUs, their buses and NVLinks, as lines of text.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tutti::emulated {

struct MachineGpu {
  unsigned domain = 0, bus = 0, device = 0;
  std::string model{};
};
/// NVLinks of one GPU: to another, or to switches (-1).
struct MachineLink {
  int gpu = 0, peer = -1;
  int count = 0;
};

struct MachineFile {
  std::vector<MachineGpu> gpus{};
  std::vector<MachineLink> links{};
};

/// "gpu 0 1b 0 NVIDIA H100": domain, bus and device in hexadecimal, then the model. "link 0 1 4": four NVLinks between two
/// GPUs; "link 0 switch 18".
inline MachineFile read_machine(std::istream& text) {
  MachineFile machine;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind, peer;
    words >> kind;
    if (kind == "gpu") {
      MachineGpu gpu;
      words >> std::hex >> gpu.domain >> gpu.bus >> gpu.device >> std::ws;
      std::getline(words, gpu.model);
      machine.gpus.push_back(gpu);
    } else if (kind == "link") {
      MachineLink link;
      words >> link.gpu >> peer >> link.count;
      link.peer = peer == "switch" ? -1 : std::atoi(peer.c_str());
      machine.links.push_back(link);
      if (link.peer >= 0) machine.links.push_back({link.peer, link.gpu, link.count});
    }
  }
  return machine;
}

inline std::string written(const MachineFile& machine) {
  std::ostringstream text;
  for (const MachineGpu& gpu : machine.gpus) {
    text << "gpu " << std::hex << gpu.domain << ' ' << gpu.bus << ' ' << gpu.device << std::dec << ' ' << gpu.model
         << '\n';
  }
  for (const MachineLink& link : machine.links) {
    if (link.peer >= 0 && link.peer < link.gpu) continue;  // the other end has said so
    text << "link " << link.gpu << ' ' << (link.peer < 0 ? "switch" : std::to_string(link.peer)) << ' ' << link.count
         << '\n';
  }
  return text.str();
}

/// What the variable names; no GPUs when it is not set.
inline MachineFile machine_of_environment() {
  const char* path = std::getenv("EMULATED_MACHINE");
  if (path == nullptr || *path == '\0') return {};
  std::ifstream file(path);
  return read_machine(file);
}

}  // namespace tutti::emulated
