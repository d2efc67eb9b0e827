#include "plan/proof/wording.hpp"

#include <fmt/format.h>

#include <vector>

namespace tutti::plan {

namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string listed(const Peers& peers) {
  std::vector<std::string> names;
  for (int i = 0; i < peers.count; ++i) names.push_back(std::to_string(peers[i]));
  return joined(names, ", ");
}

std::string counted(int count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

}  // namespace

std::string to_string(const Spot& spot) {
  return fmt::format("rank {} lane {} step {} chunk {}", spot.rank, spot.lane, spot.index, spot.chunk);
}

std::string to_string(Place place) {
  switch (place) {
    case Place::none:
      return "nothing";
    case Place::input:
      return "input";
    case Place::output:
      return "output";
    case Place::scratch:
      return "scratch";
  }
  return "?";
}

std::string to_string(const Blocks& blocks) {
  std::string names;
  int block = blocks.first;
  for (int i = 0; i < blocks.count; ++i, block = blocks.after(block)) names += fmt::format(" {}", block);
  return (blocks.count == 1 ? "block" : "blocks") + names;
}

std::string to_string(const Step& step) {
  if (step.barrier) return "barrier";
  std::vector<std::string> sources;
  if (step.own != Place::none) sources.push_back("own " + to_string(step.own));
  if (step.from.count > 0) {
    sources.push_back(step.from_place == Place::none
                          ? fmt::format("from {} (wire {})", listed(step.from), step.from_wire)
                          : fmt::format("{} of {}", to_string(step.from_place), listed(step.from)));
  }
  std::vector<std::string> targets;
  if (step.store != Place::none) targets.push_back(to_string(step.store));
  if (step.to.count > 0) {
    targets.push_back(step.to_place == Place::none
                          ? fmt::format("to {} (wire {})", listed(step.to), step.to_wire)
                          : fmt::format("{} of {}", to_string(step.to_place), listed(step.to)));
  }
  return fmt::format("{}: {} {}{} -> {}", to_string(step.blocks), step.combine ? "combine" : "copy",
                     joined(sources, " + "), step.finish ? ", finish" : "", joined(targets, ", "));
}

std::string to_string(const Schedule& schedule) {
  std::string text = fmt::format("{} by {}{}, {}", name(schedule.collective), name(schedule.algorithm),
                                 schedule.window ? " (window)" : "", counted(schedule.size, "rank"));
  if (has_root(schedule.collective)) text += fmt::format(", root {}", schedule.root);
  if (is_pairwise(schedule.collective)) text += fmt::format(", peer {}", schedule.root);
  return text;
}

std::string to_string(const Conditions& conditions) {
  return fmt::format("{}, {}{}{}", counted(conditions.chunks, "chunk"), counted(conditions.slots, "slot"),
                     conditions.in_place ? ", in place" : "", conditions.ragged ? ", ragged" : "");
}

std::string members(Ranks ranks, Ranks twice) {
  std::vector<std::string> names;
  for (int rank = 0; rank < 64; ++rank) {
    if ((ranks & only(rank)) != 0) names.push_back(std::to_string(rank));
    if ((twice & only(rank)) != 0) names.push_back(std::to_string(rank));
  }
  return "{" + joined(names, ",") + "}";
}

std::string difference(Ranks ranks, Ranks twice, Ranks expected) {
  std::vector<std::string> parts;
  for (int rank = 0; rank < 64; ++rank) {
    const Ranks bit = only(rank);
    const char* how = (expected & bit) == 0 ? ((ranks & bit) != 0 ? "uncalled for" : nullptr)
                      : (ranks & bit) == 0  ? "never"
                      : (twice & bit) != 0  ? "twice"
                                            : nullptr;
    if (how == nullptr) continue;
    parts.push_back(fmt::format("{}of rank {} {}", parts.empty() ? "contribution " : "", rank, how));
  }
  return joined(parts, ", ");
}

}  // namespace tutti::plan
