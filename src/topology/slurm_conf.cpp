#include "topology/slurm_conf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_set>
#include <utility>

#include "topology/host_list.hpp"
#include "topology/pasted.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

constexpr std::size_t max_entries = 100'000;
constexpr int max_depth = 32;

[[noreturn]] void refuse(const std::string& name, std::size_t line, const std::string& why) {
  throw Error(Code::invalid_argument, fmt::format("{}:{}: {}", name, line, why));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Lines without comments, those that end in a backslash joined with the next.
std::vector<std::pair<std::size_t, std::string>> statements(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string>> found;
  std::string open;
  std::size_t begun = 0;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    line = trim(line.substr(0, line.find('#')));
    if (open.empty()) begun = number;
    const bool more = line.ends_with('\\');
    open += more ? std::string(line.substr(0, line.size() - 1)) + " " : std::string(line);
    if (more && !text.empty()) continue;
    if (!trim(open).empty()) found.emplace_back(begun, std::move(open));
    open.clear();
  }
  return found;
}

void read_sizes(SlurmConf& conf, std::string_view list, const std::string& name, std::size_t line) {
  while (!list.empty()) {
    auto word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), word.size() + 1));
    const int size = take_number(word);
    if (size < 1 || !word.empty()) refuse(name, line, "expected BlockSizes=30,60,120");
    conf.block_sizes.push_back(size);
  }
}

}  // namespace

SlurmConf parse_slurm_conf(std::string_view text, const std::string& name) {
  SlurmConf conf;
  for (const auto& [line, statement] : statements(text)) {
    SlurmEntry entry{.line = line};
    bool is_switch = false;
    bool is_block = false;
    for (const auto word : words(statement)) {
      const auto equals = word.find('=');
      if (equals == std::string_view::npos) {
        refuse(name, line, fmt::format("expected a key and =, found \"{}\"", shown(word, 40)));
      }
      const auto key = lower(word.substr(0, equals));
      const auto value = word.substr(equals + 1);
      if (key == "switchname" || key == "blockname") {
        (key == "switchname" ? is_switch : is_block) = true;
        entry.name = value;
      } else if (key == "switches") {
        entry.switches = value;
      } else if (key == "nodes") {
        entry.nodes = value;
      } else if (key == "blocksizes") {
        read_sizes(conf, value, name, line);
      } else if (key != "linkspeed") {
        refuse(name, line,
               fmt::format("expected SwitchName, Switches, Nodes, LinkSpeed, BlockName or BlockSizes, found \"{}\"",
                           shown(word, 40)));
      }
    }
    if (!is_switch && !is_block) {
      if (entry.nodes.empty() && entry.switches.empty()) continue;
      refuse(name, line, "expected SwitchName= or BlockName= before what is below it");
    }
    if (entry.name.empty()) refuse(name, line, "the name is empty");
    if (entry.nodes.empty() == entry.switches.empty()) {
      refuse(name, line, fmt::format("expected either Switches= or Nodes= below {}", shown(entry.name, 40)));
    }
    auto& list = is_switch ? conf.switches : conf.blocks;
    if (list.size() >= max_entries) refuse(name, line, fmt::format("more than {} entries", max_entries));
    list.push_back(std::move(entry));
  }
  if (conf.switches.empty() && conf.blocks.empty()) refuse(name, 1, "expected SwitchName= or BlockName=, found none");
  if (!conf.switches.empty() && !conf.blocks.empty()) {
    refuse(name, conf.blocks.front().line, "a file has either switches or blocks, but here are both");
  }
  return conf;
}

namespace {

class TreeBuilding {
 public:
  TreeBuilding(const SlurmConf& conf, const std::string& name)
      : entries_(conf.switches.empty() ? conf.blocks : conf.switches), name_(name) {}

  SlurmTree build() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!by_name_.emplace(entries_[i].name, i).second) {
        refuse(name_, entries_[i].line, fmt::format("{} is defined twice", shown(entries_[i].name, 40)));
      }
    }
    find_parents();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (parents_[i] < 0) walk(i, -1, 0);
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!walked_[i])
        refuse(name_, entries_[i].line, fmt::format("{} hangs, in the end, under itself", shown(entries_[i].name, 40)));
    }
    return std::move(tree_);
  }

 private:
  void find_parents() {
    parents_.assign(entries_.size(), -1);
    walked_.assign(entries_.size(), false);
    below_.resize(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const SlurmEntry& entry = entries_[i];
      if (entry.switches.empty()) continue;
      const bool listed = for_each_host(entry.switches, [&](const std::string& child) {
        const auto found = by_name_.find(child);
        if (found == by_name_.end()) refuse(name_, entry.line, fmt::format("{} is not defined", shown(child, 40)));
        int& parent = parents_[found->second];
        if (parent >= 0) {
          refuse(name_, entry.line,
                 fmt::format("{} hangs under both {} and {}", shown(child, 40),
                             shown(entries_[static_cast<std::size_t>(parent)].name, 40), shown(entry.name, 40)));
        }
        parent = static_cast<int>(i);
        below_[i].push_back(found->second);
      });
      if (!listed) no_list(entry, entry.switches);
    }
  }

  [[noreturn]] void no_list(const SlurmEntry& entry, const std::string& list) const {
    refuse(name_, entry.line, fmt::format("\"{}\" is no list of names; expected node[001-128,200]", shown(list, 60)));
  }

  void walk(std::size_t at, int parent, int depth) {
    const SlurmEntry& entry = entries_[at];
    if (depth > max_depth) refuse(name_, entry.line, fmt::format("more than {} switches above one another", max_depth));
    walked_[at] = true;
    const int here = static_cast<int>(tree_.switches.size());
    tree_.switches.push_back({.name = entry.name, .parent = parent, .nodes = entry.nodes});
    if (!entry.nodes.empty()) tree_.switches.back().count = count_nodes(entry);
    for (const std::size_t child : below_[at]) walk(child, here, depth + 1);
  }

  std::int64_t count_nodes(const SlurmEntry& entry) {
    std::int64_t count = 0;
    const bool listed = for_each_host(entry.nodes, [&](const std::string& node) {
      if (!nodes_.insert(node).second) {
        refuse(name_, entry.line,
               fmt::format("{} is listed a second time, below {}", shown(node, 40), shown(entry.name, 40)));
      }
      ++count;
      if (nodes_.size() > static_cast<std::size_t>(max_hosts)) {
        refuse(name_, entry.line, fmt::format("more than {} nodes", max_hosts));
      }
    });
    if (!listed) no_list(entry, entry.nodes);
    return count;
  }

  const std::vector<SlurmEntry>& entries_;
  const std::string& name_;
  std::map<std::string, std::size_t> by_name_;
  std::vector<int> parents_;
  std::vector<std::vector<std::size_t>> below_;
  std::vector<bool> walked_;
  std::unordered_set<std::string> nodes_;
  SlurmTree tree_;
};

}  // namespace

SlurmTree slurm_tree(const SlurmConf& conf, const std::string& name) { return TreeBuilding(conf, name).build(); }

}  // namespace tutti
