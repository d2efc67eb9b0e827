/// @file  What is different between two topologies.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "topology/describe.hpp"
#include "topology/match.hpp"
#include "tutti/topology/combine.hpp"

namespace tutti {

namespace {

class Comparison {
 public:
  Comparison(const Topology& before, const Topology& after)
      : before_(before), after_(after), was_(match_devices(before.parts(), after.parts())) {}

  std::vector<std::string> lines() {
    hosts();
    devices();
    links();
    paths();
    return std::move(lines_);
  }

 private:
  template <class Value>
  void changed(const std::string& what, const Value& before, const Value& after) {
    if (before != after) lines_.push_back(fmt::format("{}: {}, now {}", what, before, after));
  }

  static std::string shown(const std::string& text) { return text.empty() ? "nothing" : text; }

  void hosts() {
    changed("hosts", before_.hosts().size(), after_.hosts().size());
    for (std::size_t i = 0; i < std::min(before_.hosts().size(), after_.hosts().size()); ++i) {
      const HostFacts& a = before_.hosts()[i];
      const HostFacts& b = after_.hosts()[i];
      const auto what = [&](const char* field) { return fmt::format("host {}: {}", i, field); };
      changed(what("processor"), shown(a.cpu_model), shown(b.cpu_model));
      changed(what("sockets"), a.packages, b.packages);
      changed(what("cores"), a.cores, b.cores);
      changed(what("CPUs"), a.cpus, b.cpus);
      changed(what("NUMA nodes"), a.numa_nodes.size(), b.numa_nodes.size());
      changed(what("memory bytes"), a.memory_bytes, b.memory_bytes);
    }
  }

  void devices() {
    std::set<int> still_there;
    for (const Device& now : after_.devices()) {
      const int id = was_[static_cast<std::size_t>(now.id)];
      if (id < 0) {
        lines_.push_back(fmt::format("+ {} {} {}", name(now.kind), call(now), now.model));
        continue;
      }
      still_there.insert(id);
      fields(before_.device(id), now);
    }
    for (const Device& device : before_.devices()) {
      if (!still_there.contains(device.id)) {
        lines_.push_back(fmt::format("- {} {} {}", name(device.kind), call(device), device.model));
      }
    }
    for (auto& line : lines_) line.erase(line.find_last_not_of(' ') + 1);
  }

  void fields(const Device& a, const Device& b) {
    const auto what = [&](const std::string& field) { return fmt::format("{}: {}", call(a), field); };
    changed(what("kind"), name(a.kind), name(b.kind));
    changed(what("name"), shown(a.name), shown(b.name));
    changed(what("model"), shown(a.model), shown(b.model));
    changed(what("bus id"), shown(a.pci), shown(b.pci));
    changed(what("NUMA node"), a.numa_node, b.numa_node);
    changed(what("number"), a.index, b.index);
    changed(what("rank"), a.rank, b.rank);
    std::set<std::string> keys;
    for (const auto& [key, value] : a.attributes) keys.insert(key);
    for (const auto& [key, value] : b.attributes) keys.insert(key);
    const auto value = [](const Device& device, const std::string& key) {
      const auto at = device.attributes.find(key);
      return at == device.attributes.end() ? std::string("nothing") : at->second;
    };
    for (const auto& key : keys) changed(what(key), value(a, key), value(b, key));
  }

  /// Links between devices that both have, the lesser end first; several of one kind are added up.
  struct Sum {
    int count = 0;
    Quantity bandwidth{};
    std::string lanes{};
  };
  using Ends = std::tuple<LinkKind, int, int>;

  static void add(std::map<Ends, Sum>& sums, const Link& link, int from, int to) {
    if (from < 0 || to < 0) return;
    Sum& sum = sums[{link.kind, std::min(from, to), std::max(from, to)}];
    sum.count += link.count;
    sum.bandwidth = {sum.bandwidth.value + link.bandwidth.value, link.bandwidth.origin};
    sum.lanes = link.lanes.known() && link.speed.known()
                    ? fmt::format("{:g} lanes at {:g} GT/s", link.lanes.value, link.speed.value)
                    : std::string{};
  }

  void links() {
    std::map<Ends, Sum> a;
    std::map<Ends, Sum> b;
    for (const Link& link : before_.links()) add(a, link, link.from, link.to);
    for (const Link& link : after_.links()) {
      add(b, link, was_[static_cast<std::size_t>(link.from)], was_[static_cast<std::size_t>(link.to)]);
    }
    const auto gone_for_good = [&](int id) { return std::find(was_.begin(), was_.end(), id) == was_.end(); };
    for (const auto& [ends, sum] : a) {
      const auto& [kind, from, to] = ends;
      const auto what = fmt::format("{} {} – {}", name(kind), before_.device(from).name, before_.device(to).name);
      const auto now = b.find(ends);
      if (now == b.end()) {
        if (!gone_for_good(from) && !gone_for_good(to)) lines_.push_back("- " + what);
        continue;
      }
      changed(what + ": links", sum.count, now->second.count);
      changed(what, shown(describe_bandwidth(sum.bandwidth)), shown(describe_bandwidth(now->second.bandwidth)));
      changed(what, shown(sum.lanes), shown(now->second.lanes));
    }
    for (const auto& [ends, sum] : b) {
      if (a.contains(ends)) continue;
      lines_.push_back(fmt::format("+ {} {} – {}", name(std::get<0>(ends)), before_.device(std::get<1>(ends)).name,
                                   before_.device(std::get<2>(ends)).name));
    }
  }

  /// What a person would look at first: the cells of the matrix.
  void paths() {
    std::vector<int> ends;
    for (const Device& device : after_.devices()) {
      const bool shown_in_matrix = device.kind == DeviceKind::gpu || device.kind == DeviceKind::nic;
      if (shown_in_matrix && was_[static_cast<std::size_t>(device.id)] >= 0) ends.push_back(device.id);
    }
    constexpr std::size_t most = 512;  // beyond that the links have said it all
    if (ends.size() > most) return;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t k = i + 1; k < ends.size(); ++k) {
        const auto now = find_path(after_, ends[i], ends[k]).label();
        const int from = was_[static_cast<std::size_t>(ends[i])];
        const int to = was_[static_cast<std::size_t>(ends[k])];
        changed(fmt::format("{} – {}", before_.device(from).name, before_.device(to).name),
                find_path(before_, from, to).label(), now);
      }
    }
  }

  const Topology& before_;
  const Topology& after_;
  std::vector<int> was_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> differences(const Topology& before, const Topology& after) {
  return Comparison(before, after).lines();
}

}  // namespace tutti
