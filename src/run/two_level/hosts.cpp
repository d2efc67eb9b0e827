#include "run/two_level/hosts.hpp"

#include <exception>
#include <mutex>
#include <utility>

namespace tutti::two_level {

Hosts::Hosts(Placement where, std::shared_ptr<Network> network)
    : placement(std::move(where)),
      whole(std::move(network)),
      columns(static_cast<std::size_t>(placement.most_on_a_host())) {
  if (placement.most_on_a_host() == 1) {
    columns[0] = whole;  // all ranks make the same calls in the same order on either
    return;
  }
  // Ranks of small hosts are in several columns. Everybody takes them in the same order, so nobody waits in a circle.
  const int mine = placement.local_rank(rank());
  for (int column = 0; column < placement.most_on_a_host(); ++column) {
    if (member_here(column) == mine)
      columns[static_cast<std::size_t>(column)] = whole->subset(placement.column(column));
  }
}

void Hosts::keep_networks_for_ever() noexcept {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<Network>>();  // NOLINT: never freed, on purpose
  try {
    const std::lock_guard lock(mutex);
    kept->push_back(whole);
    kept->insert(kept->end(), columns.begin(), columns.end());
  } catch (const std::exception&) {  // no memory: then they go
    return;
  }
}

}  // namespace tutti::two_level
