#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "plan/channels/write.hpp"

namespace tutti::plan {

namespace {

/// NCCL's names: it knows no XGMI and no NODE.
const char* nccl_name(PathClass path) {
  switch (path) {
    case PathClass::self:
      return "LOC";
    case PathClass::nvlink:
    case PathClass::xgmi:
      return "NVL";
    case PathClass::c2c:
    case PathClass::pix:
      return "PIX";
    case PathClass::pxb:
      return "PXB";
    case PathClass::phb:
    case PathClass::node:
      return "PHB";
    default:
      return "SYS";
  }
}

class GraphWriting {
 public:
  explicit GraphWriting(const Topology& topology) : topology_(topology) {
    int rank = 0;
    for (const int gpu : topology.all(DeviceKind::gpu)) rank_[gpu] = rank++;
    graphs_ = document_.append_child("graphs");
    graphs_.append_attribute("version") = 1;
  }

  template <class Channel>
  void add(int id, int pattern, const std::vector<Channel>& channels) {
    auto graph = graphs_.append_child("graph");
    const bool any = !channels.empty();
    const bool net = any && channels.front().to_nic != PathClass::none;
    PathClass within = PathClass::self;
    PathClass to_nic = PathClass::pix;
    double least = any ? channels.front().bandwidth : 0;
    for (const Channel& channel : channels) {
      within = std::max(within, channel.within);
      if (net) to_nic = std::max(to_nic, channel.to_nic);
      least = std::min(least, channel.bandwidth);
    }
    graph.append_attribute("id") = id;
    graph.append_attribute("pattern") = pattern;
    graph.append_attribute("crossnic") = net && crosses(channels) ? 2 : 0;
    graph.append_attribute("nchannels") = static_cast<unsigned>(channels.size());
    graph.append_attribute("speedintra") = fmt::format("{:g}", least).c_str();
    graph.append_attribute("speedinter") = fmt::format("{:g}", least).c_str();
    graph.append_attribute("latencyinter") = 0;
    graph.append_attribute("typeintra") = nccl_name(within);
    graph.append_attribute("typeinter") = nccl_name(to_nic);
    graph.append_attribute("samechannels") = 0;
    for (const Channel& channel : channels) add_channel(graph, channel.gpus, channel.segments.front());
  }

  std::string text() const {
    std::ostringstream out;
    document_.save(out, "  ", pugi::format_indent | pugi::format_no_declaration, pugi::encoding_utf8);
    return out.str();
  }

 private:
  template <class Channel>
  static bool crosses(const std::vector<Channel>& channels) {
    return std::any_of(channels.begin(), channels.end(), [](const Channel& channel) {
      return channel.segments.front().nic_in != channel.segments.front().nic_out;
    });
  }

  /// The host in the top byte, as NCCL numbers devices.
  std::string number(const Device& device, int position) const {
    const auto index = static_cast<unsigned long long>(device.index >= 0 ? device.index : position);
    return fmt::format("{:#x}", index | static_cast<unsigned long long>(device.host) << 56);
  }

  void add_net(pugi::xml_node channel, int nic) {
    if (nic < 0) return;
    const Device& device = topology_.device(nic);
    channel.append_child("net").append_attribute("dev") = number(device, nic).c_str();
  }

  void add_channel(pugi::xml_node graph, const std::vector<int>& gpus, const Segment& segment) {
    auto channel = graph.append_child("channel");
    add_net(channel, segment.nic_in);
    for (int i = 0; i < segment.count; ++i) {
      const int gpu = gpus[static_cast<std::size_t>(segment.first) + static_cast<std::size_t>(i)];
      auto node = channel.append_child("gpu");
      node.append_attribute("dev") = number(topology_.device(gpu), rank_.at(gpu)).c_str();
      node.append_attribute("rank") = rank_.at(gpu);
    }
    add_net(channel, segment.nic_out);
  }

  const Topology& topology_;
  std::map<int, int> rank_;
  pugi::xml_document document_;
  pugi::xml_node graphs_;
};

}  // namespace

std::string channels_graph_xml(const Topology& topology, const Channels& channels) {
  GraphWriting writing(topology);
  writing.add(0, 4, channels.rings);
  writing.add(1, 1, channels.trees);
  return writing.text();
}

}  // namespace tutti::plan
