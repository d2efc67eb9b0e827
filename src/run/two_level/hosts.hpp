/// @file  Hosts: where the ranks are, and the networks that join them.
#pragma once

#include <memory>
#include <vector>

#include "run/placement.hpp"
#include "tutti/bootstrap/network.hpp"

namespace tutti::two_level {

/// Of one rank. A column's network has one rank of each host, numbered as the hosts are.
struct Hosts {
  /// Collective over all ranks of `network`, which are those of `placement`.
  Hosts(Placement where, std::shared_ptr<Network> network);

  int rank() const { return whole->rank(); }
  int here() const { return placement.host(rank()); }  ///< this rank's host
  int ranks_here() const { return static_cast<int>(placement.on(here()).size()); }
  /// The local rank, on this host, of the member of a column.
  int member_here(int column) const { return column % ranks_here(); }
  /// Null when this rank is not in the column.
  Network* column(int column) const { return columns[static_cast<std::size_t>(column)].get(); }

  /// After a failure: messages may still be under way, and would come to whatever gets the name of a network that is
  /// gone. So these never go.
  void keep_networks_for_ever() noexcept;

  Placement placement;
  std::shared_ptr<Network> whole;
  std::vector<std::shared_ptr<Network>> columns;  ///< [most ranks on a host]
};

}  // namespace tutti::two_level
