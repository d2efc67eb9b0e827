#include "run/placement.hpp"

#include <algorithm>
#include <map>

namespace tutti {

Placement::Placement(std::vector<int> host) : host_(std::move(host)) {
  std::map<int, int> number;  // of a name
  local_.reserve(host_.size());
  for (std::size_t rank = 0; rank < host_.size(); ++rank) {
    const auto [found, is_new] = number.try_emplace(host_[rank], static_cast<int>(members_.size()));
    if (is_new) members_.emplace_back();
    host_[rank] = found->second;
    std::vector<int>& neighbours = members_[static_cast<std::size_t>(found->second)];
    if (!neighbours.empty() && neighbours.back() + 1 != static_cast<int>(rank)) consecutive_ = false;
    local_.push_back(static_cast<int>(neighbours.size()));
    neighbours.push_back(static_cast<int>(rank));
  }
  for (const std::vector<int>& members : members_) {
    most_ = std::max(most_, static_cast<int>(members.size()));
    even_ = even_ && members.size() == members_.front().size();
  }
}

std::vector<int> Placement::column(int column) const {
  std::vector<int> ranks;
  ranks.reserve(members_.size());
  for (const std::vector<int>& members : members_) {
    ranks.push_back(members[static_cast<std::size_t>(column) % members.size()]);
  }
  return ranks;
}

Placement Placement::of(std::span<const int> members) const {
  std::vector<int> hosts;
  hosts.reserve(members.size());
  for (const int member : members) hosts.push_back(host(member));
  return Placement(std::move(hosts));
}

}  // namespace tutti
