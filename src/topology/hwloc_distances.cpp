#include "topology/hwloc_distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "topology/hwloc_objects.hpp"
#include "topology/rates.hpp"
#include "topology/text.hpp"

namespace tutti {

namespace {

using namespace hwloc_xml;

constexpr long max_objects = 1024;

/// The words in all children of that name, which hwloc writes ten at a time.
std::vector<std::string_view> words(Node matrix, const char* child_name) {
  std::vector<std::string_view> all;
  for (const Node child : matrix.children(child_name)) {
    std::string_view text = trim(child.text().get());
    while (!text.empty()) {
      const auto end = text.find_first_of(" \t\r\n");
      all.push_back(text.substr(0, end));
      text = end == std::string_view::npos ? std::string_view{} : trim(text.substr(end));
    }
  }
  return all;
}

long whole(std::string_view text, long fallback) {
  long value = fallback;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : fallback;
}

int attribute_number(const Device& device, std::string_view key) {
  const auto at = device.attributes.find(key);
  return at == device.attributes.end() ? 0 : static_cast<int>(whole(at->second, 0));
}

struct Matrix {
  std::vector<int> devices;  ///< by row; −1: nothing that became a device
  std::vector<double> megabytes;
  double at(std::size_t row, std::size_t column) const { return megabytes[row * devices.size() + column]; }
};

/// The NVLinks that make up a bandwidth, by what the GPU's generation has per link.
Link nvlink_of(const Device& gpu, double megabytes) {
  const int capability = attribute_number(gpu, "sm");
  const auto rate = rates::nvlink(capability);
  double per_link = rate.rated;
  if (capability == 0 && std::fmod(megabytes, 25'000) != 0 && std::fmod(megabytes, 20'000) == 0) per_link = 20;
  const int count = std::max(1, static_cast<int>(std::lround(megabytes / 1000 / per_link)));
  return Link{.kind = LinkKind::nvlink,
              .count = count,
              .bandwidth = Quantity::assumed(rate.reached * count),
              .rated = Quantity::read(megabytes / 1000),
              .latency = Quantity::assumed(rates::latency(LinkKind::nvlink))};
}

Link xgmi_of(const Device& gpu, double megabytes) {
  const auto gfx = gpu.attributes.find("gcn");
  const auto rate = rates::xgmi(gfx == gpu.attributes.end() ? std::string_view{} : std::string_view(gfx->second));
  const int count = std::max(1, static_cast<int>(std::lround(megabytes / 1000 / rate.rated)));
  return Link{.kind = LinkKind::xgmi,
              .count = count,
              .bandwidth = Quantity::assumed(megabytes / 1000 * rate.reached / rate.rated),
              .rated = Quantity::read(megabytes / 1000),
              .latency = Quantity::assumed(rates::latency(LinkKind::xgmi))};
}

void add_links(const Matrix& matrix, bool xgmi, TopologyParts& parts) {
  const auto size = matrix.devices.size();
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      const double there = matrix.at(a, b);
      const double back = matrix.at(b, a);
      const int from = matrix.devices[a];
      const int to = matrix.devices[b];
      if (a == b || there <= 0 || from < 0 || to < 0 || from == to) continue;
      if (there == back && b < a) continue;  // written with the other row
      const Device& one = parts.devices[static_cast<std::size_t>(from)];
      const Device& other = parts.devices[static_cast<std::size_t>(to)];
      const Device& gpu = one.kind == DeviceKind::gpu ? one : other;
      Link link = xgmi ? xgmi_of(gpu, there) : nvlink_of(gpu, there);
      link.from = from;
      link.to = to;
      link.one_way = there != back;
      parts.add(link);
    }
  }
}

}  // namespace

void read_hwloc_distances(Node root, TopologyParts& parts, const std::map<long, int>& by_gp_index) {
  for (const Node node : root.children()) {
    const std::string_view element = node.name();
    if (element != "distances2" && element != "distances2hetero") continue;
    const std::string_view name = node.attribute("name").value();
    const bool xgmi = name == "XGMIBandwidth";
    if (name != "NVLinkBandwidth" && !xgmi) continue;
    const auto indexes = words(node, "indexes");
    const auto values = words(node, "u64values");
    const long objects = number(node, "nbobjs", -1);
    const auto size = static_cast<std::size_t>(std::max(objects, 0L));
    if (objects < 0 || objects > max_objects || indexes.size() != size || values.size() != size * size) {
      parts.notes.push_back(fmt::format("the matrix {} says it has {} objects, lists {} and has {} values: left out",
                                        name, objects, indexes.size(), values.size()));
      continue;
    }
    Matrix matrix;
    for (const std::string_view index : indexes) {
      const auto colon = index.find(':');  // "OSDev:802" where kinds are mixed
      const auto at = by_gp_index.find(whole(colon == std::string_view::npos ? index : index.substr(colon + 1), -1));
      matrix.devices.push_back(at == by_gp_index.end() ? -1 : at->second);
    }
    for (const std::string_view value : values) {
      matrix.megabytes.push_back(std::clamp(static_cast<double>(whole(value, 0)), 0.0, 1e8));
    }
    add_links(matrix, xgmi, parts);
  }
}

}  // namespace tutti
