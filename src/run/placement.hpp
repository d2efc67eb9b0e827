/// @file  Placement: which rank is on which host. A value, the same on all ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tutti {

/// Hosts are numbered from 0 in the order of their first ranks; the ranks of a host are numbered from 0 in the order of
/// their ranks here.
class Placement {
 public:
  Placement() : Placement(std::vector<int>{0}) {}
  /// host[r] names the host of rank r; any numbers will do, equal ones mean the same host.
  explicit Placement(std::vector<int> host);
  static Placement on_one_host(int ranks) { return Placement(std::vector<int>(static_cast<std::size_t>(ranks), 0)); }

  int ranks() const { return static_cast<int>(host_.size()); }
  int hosts() const { return static_cast<int>(members_.size()); }
  int host(int rank) const { return host_[static_cast<std::size_t>(rank)]; }
  int local_rank(int rank) const { return local_[static_cast<std::size_t>(rank)]; }
  /// The ranks of a host, ascending.
  std::span<const int> on(int host) const { return members_[static_cast<std::size_t>(host)]; }
  int most_on_a_host() const { return most_; }

  /// Has every host the same number of ranks?
  bool even() const { return even_; }
  /// Are the ranks of each host neighbours: 0 1 2 | 3 4 5?
  bool consecutive() const { return consecutive_; }

  /// One rank of each host: that with local rank `column`, counted around where a host has fewer. For every rank there
  /// is a column that holds it; in column 0 are the first ranks of the hosts.
  std::vector<int> column(int column) const;

  /// Where the ranks of a part of these are: rank i of the result is members[i] of this.
  Placement of(std::span<const int> members) const;

 private:
  std::vector<int> host_;
  std::vector<int> local_;
  std::vector<std::vector<int>> members_;
  int most_ = 0;
  bool even_ = true;
  bool consecutive_ = true;
};

}  // namespace tutti
