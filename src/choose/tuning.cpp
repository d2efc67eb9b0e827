#include "tutti/choose/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tutti {

namespace {

constexpr std::array<std::string_view, reach_count> reach_names{"threads", "processes", "segments"};

/// FNV-1a of 64 bits: the same on every machine.
std::string digest_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

const std::string& fact_of(const Fingerprint& fingerprint, const std::string& key) {
  static const std::string nothing = "nothing";
  for (const auto& [name, value] : fingerprint.facts) {
    if (name == key) return value;
  }
  return nothing;
}

}  // namespace

std::string_view name(Reach reach) noexcept { return reach_names[static_cast<std::size_t>(reach)]; }

std::optional<Reach> reach_named(std::string_view name) noexcept {
  const auto* found = std::find(reach_names.begin(), reach_names.end(), name);
  if (found == reach_names.end()) return std::nullopt;
  return static_cast<Reach>(found - reach_names.begin());
}

Fingerprint fingerprint_of(const HostFacts& facts) {
  std::string nodes;
  for (const NumaNode& node : facts.numa_nodes) {
    nodes += fmt::format("{}{}", nodes.empty() ? "" : " ", node.cpus.size());
  }
  return {{{"architecture", facts.architecture},
           {"processor", facts.cpu_model},
           {"packages", std::to_string(facts.packages)},
           {"cores", std::to_string(facts.cores)},
           {"cpus", std::to_string(facts.cpus)},
           {"cpus_of_memory_nodes", nodes},
           {"l1_bytes", std::to_string(facts.l1_bytes)},
           {"l2_bytes", std::to_string(facts.l2_bytes)},
           {"l3_bytes", std::to_string(facts.l3_bytes)},
           {"cpus_per_l3", std::to_string(facts.cpus_per_l3)}}};
}

std::string digest(const Fingerprint& fingerprint) {
  std::string text;
  for (const auto& [key, value] : fingerprint.facts) text += fmt::format("{}={}\n", key, value);
  return digest_of(text);
}

std::string difference(const Fingerprint& there, const Fingerprint& here) {
  std::string text;
  const auto add = [&](const std::string& key) {
    const std::string& a = fact_of(there, key);
    const std::string& b = fact_of(here, key);
    if (a != b) text += fmt::format("{}{}: {} there, {} here", text.empty() ? "" : "; ", key, a, b);
  };
  for (const auto& [key, value] : here.facts) add(key);
  for (const auto& [key, value] : there.facts) {
    const bool known =
        std::any_of(here.facts.begin(), here.facts.end(), [&key = key](const auto& f) { return f.first == key; });
    if (!known) add(key);
  }
  return text;
}

std::string digest(const Tuning& tuning) {
  std::string text = digest(tuning.machine);
  for (const TunedCall& call : tuning.calls) {
    text += fmt::format("\n{} {} {}", name(call.collective), name(call.reach), call.ranks);
    for (const TunedTurn& turn : call.turns) {
      text += fmt::format(" {} {} {}", turn.bytes, name(turn.algorithm), name(turn.protocol));
    }
  }
  return digest_of(text);
}

const TunedCall* tuned_call(const Tuning& tuning, Collective collective, Reach reach, int ranks) {
  const TunedCall* best = nullptr;
  for (const TunedCall& call : tuning.calls) {
    if (call.collective != collective || call.reach != reach) continue;
    if (call.ranks > ranks || 2 * call.ranks < ranks) continue;
    if (best == nullptr || call.ranks > best->ranks) best = &call;
  }
  return best;
}

std::optional<double> tuned_us(const TunedCall& call, Algorithm algorithm, Protocol protocol, std::size_t bytes) {
  for (const TunedWay& way : call.ways) {
    if (way.algorithm != algorithm || way.protocol != protocol) continue;
    for (std::size_t i = 0; i < way.points.size(); ++i) {
      const TunedPoint& after = way.points[i];
      if (after.bytes == bytes) return after.us.value;
      if (after.bytes < bytes) continue;
      if (i == 0) return std::nullopt;
      const TunedPoint& before = way.points[i - 1];
      const double share = static_cast<double>(bytes - before.bytes) / static_cast<double>(after.bytes - before.bytes);
      return before.us.value + share * (after.us.value - before.us.value);
    }
  }
  return std::nullopt;
}

std::string not_for(const Tuning& tuning, const HostFacts& machine) {
  const Fingerprint here = fingerprint_of(machine);
  if (here == tuning.machine) return {};
  return fmt::format("{} was measured on another machine, {}, and this is {}: {}",
                     tuning.name.empty() ? "the tuning" : tuning.name, digest(tuning.machine), digest(here),
                     difference(tuning.machine, here));
}

}  // namespace tutti
