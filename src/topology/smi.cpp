#include "topology/smi.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "topology/text.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::smi {

namespace {

constexpr int max_gpus = 1024;
constexpr std::size_t max_partitions = 64;  // of one GPU

/// "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-…)"
struct GpuLine {
  int index = 0;
  std::string model{};
  std::string uuid{};
};

std::string uuid_in(std::string_view text) {
  const auto at = text.find("(UUID: ");
  if (at == std::string_view::npos) return {};
  const auto uuid = text.substr(at + 7);
  return std::string(trim(uuid.substr(0, uuid.find(')'))));
}

std::optional<GpuLine> gpu_line(std::string_view line) {
  const auto at = line.find("GPU ");
  if (at == std::string_view::npos || (at > 0 && !ends_prefix(line[at - 1]))) return {};
  line.remove_prefix(at + 4);
  const int index = take_number(line);
  if (index < 0 || index >= max_gpus || !take(line, ":")) return {};
  const auto uuid = line.find("(UUID");
  return GpuLine{index, std::string(trim(line.substr(0, uuid))), uuid_in(line)};
}

/// "  MIG 3g.20gb     Device  0: (UUID: MIG-…)"
struct PartitionLine {
  std::string profile{};
  std::string uuid{};
};

std::optional<PartitionLine> partition_line(std::string_view line) {
  const auto at = line.find("MIG ");
  const auto device = line.find(" Device ");
  if (at == std::string_view::npos || device == std::string_view::npos || device < at + 4) return {};
  return PartitionLine{std::string(trim(line.substr(at + 4, device - at - 4))), uuid_in(line)};
}

Device* gpu_at(TopologyParts& parts, int index) {
  for (Device& device : parts.devices) {
    if (device.kind == DeviceKind::gpu && device.index == index) return &device;
  }
  return nullptr;
}

/// Another device that is stated to be wherever the first one is.
void add_beside(TopologyParts& parts, int id, Device part) {
  const int added = parts.add(std::move(part));
  for (std::size_t i = 0, count = parts.stated.size(); i < count; ++i) {
    StatedPath path = parts.stated[i];
    if (path.from != id && path.to != id) continue;
    (path.from == id ? path.from : path.to) = added;
    parts.stated.push_back(path);
  }
  parts.stated.push_back({.from = id, .to = added, .path = PathClass::pix});
}

}  // namespace

void refuse(const std::string& name, std::size_t line, const std::string& why) {
  throw Error(Code::invalid_argument, fmt::format("{}:{}: {}", name, line, why));
}

std::vector<PastedLine> lines_of(std::string_view text, const std::string& name) {
  if (text.size() > max_bytes) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: has {}, more than {}: too long for output of nvidia-smi", name,
                            format_bytes(text.size()), format_bytes(max_bytes)),
                {.remedy = "cut the part that counts out of it"});
  }
  return pasted_lines(text);
}

int gpu_numbered(TopologyParts& parts, int index) {
  if (const Device* known = gpu_at(parts, index)) return known->id;
  if (parts.hosts.empty()) parts.hosts.emplace_back();
  return parts.add(Device{.kind = DeviceKind::gpu, .name = fmt::format("gpu{}", index), .index = index});
}

void add_models(TopologyParts& parts, const std::vector<PastedLine>& lines) {
  for (const PastedLine& line : lines) {
    const auto gpu = gpu_line(line.text);
    if (!gpu) continue;
    Device* device = gpu_at(parts, gpu->index);
    if (!device) continue;
    if (device->model.empty()) device->model = gpu->model;
    if (!gpu->uuid.empty()) device->attributes.emplace("uuid", gpu->uuid);
  }
}

void add_partitions(TopologyParts& parts, const std::vector<PastedLine>& lines) {
  std::map<int, std::vector<PartitionLine>> partitions;
  int current = -1;
  for (const PastedLine& line : lines) {
    if (const auto gpu = gpu_line(line.text)) {
      current = gpu->index;
    } else if (auto part = partition_line(line.text); part && current >= 0) {
      auto& list = partitions[current];
      if (list.size() < max_partitions) list.push_back(std::move(*part));
    }
  }
  for (const auto& [index, list] : partitions) {
    const Device* known = gpu_at(parts, index);
    if (!known) continue;
    const Device whole = *known;
    for (std::size_t i = 0; i < list.size(); ++i) {
      Device part = whole;
      part.name = fmt::format("{}.{}", whole.name, i);
      if (!list[i].profile.empty()) part.model = fmt::format("{} MIG {}", whole.model, list[i].profile);
      if (!list[i].uuid.empty()) part.attributes["uuid"] = list[i].uuid;
      part.attributes["mig_of"] = whole.name;
      if (i == 0) {
        parts.devices[static_cast<std::size_t>(whole.id)] = std::move(part);
      } else {
        add_beside(parts, whole.id, std::move(part));
      }
    }
  }
}

}  // namespace tutti::smi
