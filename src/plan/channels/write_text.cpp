#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "plan/channels/write.hpp"

namespace tutti::plan {

namespace {

/// "0-5, 8" of ascending numbers.
std::string ranges(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (end > i) text += fmt::format("-{}", numbers[end]);
    i = end + 1;
  }
  return text;
}

class TextOfChannels {
 public:
  TextOfChannels(const Topology& topology, const Channels& channels) : topology_(topology), channels_(channels) {}

  std::string head() const {
    const auto name = topology_.name().empty() ? "this machine" : topology_.name();
    std::string text = fmt::format("{}: {} GPUs", name, channels_.gpus);
    if (channels_.domains > 1) text += fmt::format(" in {} domains", channels_.domains);
    return text + "\n";
  }

  std::string rings() const {
    return list("Rings", channels_.rings, "", [this](const Ring& ring) { return order(ring); });
  }
  std::string trees() const {
    const bool twins = !channels_.trees.empty() && channels_.trees.front().twin >= 0;
    return list(twins ? "Trees, in pairs that halve the data" : "Trees", channels_.trees, " up and down",
                [this](const Tree& tree) { return shape(tree); });
  }

 private:
  static constexpr std::size_t width = 112;
  static constexpr std::size_t most_domains = 4;  // of a ring that are written out

  std::string called(int id) const {
    const Device& device = topology_.device(id);
    return topology_.hosts().size() > 1 ? fmt::format("{}:{}", device.host, device.name) : device.name;
  }

  /// Channels that look alike are one entry.
  template <class Channel, class Words>
  std::string list(const char* title, const std::vector<Channel>& all, const char* ways, Words words) const {
    if (all.empty()) return {};
    double sum = 0;
    std::vector<std::string> looks;
    std::map<std::string, std::vector<std::size_t>> numbers;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Channel& channel = all[i];
      sum += channel.bandwidth;
      auto look = fmt::format("{:.4g} GB/s{} over {}", channel.bandwidth, ways, name(channel.within));
      if (channel.to_nic != PathClass::none) look += fmt::format(", adapters {}", name(channel.to_nic));
      look += "\n" + wrapped(words(channel));
      auto& same = numbers[look];
      if (same.empty()) looks.push_back(look);
      same.push_back(i);
    }
    std::string text = fmt::format("\n{}: {}, together {:.4g} GB/s\n", title, all.size(), sum);
    for (const auto& look : looks) text += fmt::format("  {}: {}", ranges(numbers[look]), look);
    return text;
  }

  static std::string wrapped(const std::vector<std::string>& words) {
    std::string text;
    std::string line = "    ";
    for (const auto& word : words) {
      if (line.size() + word.size() + 1 > width && line.size() > 4) {
        text += line + "\n";
        line = "      ";
      }
      line += (line.back() == ' ' ? "" : " ") + word;
    }
    return text + line + "\n";
  }

  std::vector<std::string> order(const Ring& ring) const {
    std::vector<std::string> words;
    for (std::size_t s = 0; s < ring.segments.size(); ++s) {
      const Segment& segment = ring.segments[s];
      if (s == most_domains && ring.segments.size() > most_domains + 1) {
        words.push_back(fmt::format("… and {} domains more", ring.segments.size() - s));
        break;
      }
      if (segment.nic_in >= 0) words.push_back(fmt::format("[{} →", called(segment.nic_in)));
      for (int i = 0; i < segment.count; ++i) {
        const bool last = i + 1 == segment.count && segment.nic_in >= 0;
        const auto at = static_cast<std::size_t>(segment.first) + static_cast<std::size_t>(i);
        words.push_back(called(ring.gpus[at]) + (last ? "" : " →"));
      }
      if (segment.nic_out >= 0) words.push_back(fmt::format("→ {}]", called(segment.nic_out)));
    }
    if (ring.segments.size() == 1) words.push_back(called(ring.gpus.front()));
    return words;
  }

  /// A chain as arrows to its root, anything else as root(child(…) child(…)).
  std::vector<std::string> shape(const Tree& tree) const {
    if (tree.segments.size() > 1) return shape_over_domains(tree);
    bool chain = true;
    for (std::size_t i = 0; i < tree.gpus.size(); ++i) {
      const int parent = tree.parents[i];
      chain = chain && (parent < 0 || std::abs(parent - static_cast<int>(i)) == 1);
    }
    std::vector<std::string> words;
    if (!chain) {
      nest(
          tree.parents, -1, [&](int at) { return called(tree.gpus[static_cast<std::size_t>(at)]); }, words);
      return words;
    }
    bool past_root = false;
    for (std::size_t i = 0; i < tree.gpus.size(); ++i) {
      const auto gpu = called(tree.gpus[i]);
      if (tree.parents[i] < 0) {
        words.push_back(fmt::format("[{}]", gpu));
        past_root = true;
      } else {
        words.push_back(past_root ? "← " + gpu : gpu + " →");
      }
    }
    return words;
  }

  std::vector<std::string> shape_over_domains(const Tree& tree) const {
    std::vector<int> parents;
    for (const Segment& segment : tree.segments) {
      const int above = tree.parents[static_cast<std::size_t>(segment.first)];
      int domain = -1;
      for (std::size_t s = 0; above >= 0 && s < tree.segments.size(); ++s) {
        const Segment& there = tree.segments[s];
        if (above >= there.first && above < there.first + there.count) domain = static_cast<int>(s);
      }
      parents.push_back(domain);
    }
    std::vector<std::string> words{fmt::format("by {}, domains", topology_.device(tree.segments.front().nic_in).name)};
    if (tree.segments.size() > 64) {
      words.push_back("…");
    } else {
      nest(
          parents, -1, [](int at) { return fmt::format("{}", at); }, words);
    }
    words.emplace_back("with");
    for (int i = 0; i < tree.segments.front().count; ++i) {
      words.push_back((i == 0 ? "" : "← ") + topology_.device(tree.gpus[static_cast<std::size_t>(i)]).name);
    }
    words.emplace_back("in each");
    return words;
  }

  /// One word for each member, brackets around the children of one.
  template <class Called>
  static void nest(const std::vector<int>& parents, int above, Called member, std::vector<std::string>& words) {
    for (std::size_t i = 0; i < parents.size(); ++i) {
      if (parents[i] != above) continue;
      words.push_back(member(static_cast<int>(i)));
      const std::size_t before = words.size();
      nest(parents, static_cast<int>(i), member, words);
      if (words.size() == before) continue;
      words[before - 1] += "(";
      words[before - 1] += words[before];
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(before));
      words.back() += ")";
    }
  }

  const Topology& topology_;
  const Channels& channels_;
};

std::string bandwidths(const Channels& channels, const std::vector<Collective>& collectives) {
  const auto amount = [](double value) { return value > 0 ? fmt::format("{:.1f}", value) : std::string("–"); };
  std::string text = fmt::format("\nBus bandwidth of large messages, GB/s {:>7} {:>9}\n", "rings", "trees");
  for (const Collective collective : collectives) {
    text += fmt::format("  {:<35} {:>7} {:>9}\n", name(collective),
                        amount(bus_bandwidth(channels, collective, Algorithm::ring)),
                        amount(bus_bandwidth(channels, collective, Algorithm::tree)));
  }
  return text;
}

}  // namespace

std::string channels_text(const Topology& topology, const Channels& channels, const ChannelProof& proof,
                          const std::vector<Collective>& collectives) {
  const TextOfChannels words(topology, channels);
  std::string text = words.head();
  if (!channels.why_none.empty()) return text + fmt::format("no ring is possible: {}\n", channels.why_none);
  text += words.rings() + words.trees() + bandwidths(channels, collectives);
  if (!channels.notes.empty()) text += "\nNotes\n";
  for (const auto& note : channels.notes) text += "  " + note + "\n";
  text += fmt::format("\nProof {}\n", proof ? "holds" : "FAILS");
  for (const auto& line : proof.failures) text += "  ✗ " + line + "\n";
  for (const auto& line : proof.holds) text += "  ✓ " + line + "\n";
  return text;
}

}  // namespace tutti::plan
