#include <nlohmann/json.hpp>

#include "plan/channels/write.hpp"

namespace tutti::plan {

namespace {

using Json = nlohmann::ordered_json;

Json segments_of(const std::vector<Segment>& segments) {
  Json list = Json::array();
  for (const Segment& segment : segments) {
    Json one{{"first", segment.first}, {"count", segment.count}};
    if (segment.nic_in >= 0) one["nic_in"] = segment.nic_in;
    if (segment.nic_out >= 0) one["nic_out"] = segment.nic_out;
    list.push_back(std::move(one));
  }
  return list;
}

template <class Channel>
Json common(const Channel& channel) {
  Json one{{"bandwidth", channel.bandwidth}, {"within", name(channel.within)}};
  if (channel.to_nic != PathClass::none) one["to_nic"] = name(channel.to_nic);
  one["gpus"] = channel.gpus;
  one["segments"] = segments_of(channel.segments);
  return one;
}

}  // namespace

std::string channels_json(const Topology& topology, const Channels& channels, const ChannelProof& proof,
                          const std::vector<Collective>& collectives) {
  Json document{{"topology", topology.name()}, {"gpus", channels.gpus}, {"domains", channels.domains}};
  if (!channels.why_none.empty()) document["why_none"] = channels.why_none;
  document["rings"] = Json::array();
  for (const Ring& ring : channels.rings) document["rings"].push_back(common(ring));
  document["trees"] = Json::array();
  for (const Tree& tree : channels.trees) {
    Json one = common(tree);
    one["parents"] = tree.parents;
    if (tree.twin >= 0) one["twin"] = tree.twin;
    document["trees"].push_back(std::move(one));
  }
  document["bus_bandwidth"] = Json::object();
  for (const Collective collective : collectives) {
    document["bus_bandwidth"][std::string(name(collective))] = {
        {"ring", bus_bandwidth(channels, collective, Algorithm::ring)},
        {"tree", bus_bandwidth(channels, collective, Algorithm::tree)}};
  }
  document["proof"] = {{"holds", bool(proof)}, {"shown", proof.holds}, {"failures", proof.failures}};
  document["notes"] = channels.notes;
  document["work"] = channels.work;
  return document.dump(2) + "\n";
}

}  // namespace tutti::plan
