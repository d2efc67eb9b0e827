/// @file  The recipes there are. Each makes one for calls of the shape of `request`.
#pragma once

#include <memory>

#include "run/two_level/recipe.hpp"
#include "run/two_level/setting.hpp"
#include "tutti/base/request.hpp"

namespace tutti::two_level {

/// The one for the decision and the size of the call: the same on all ranks.
std::unique_ptr<Recipe> recipe_for(const Setting& setting, const Request& request);

// ---- a vector, chunk by chunk ----
/// Reduce-scatter here, all-reduce of each rank's part between hosts, all-gather here. For hosts with equally many ranks.
std::unique_ptr<Recipe> all_reduce_by_columns(const Setting& setting, const Request& request);
/// Reduce to the first rank here, all-reduce among the first ranks, broadcast here.
std::unique_ptr<Recipe> all_reduce_by_first_ranks(const Setting& setting, const Request& request);
/// Through the root's column, then here.
std::unique_ptr<Recipe> broadcast_by_column(const Setting& setting, const Request& request);
/// Here, then through the root's column.
std::unique_ptr<Recipe> reduce_by_column(const Setting& setting, const Request& request);

// ---- a part for each rank, host by host: the ranks of a host are neighbours, equally many on each ----
std::unique_ptr<Recipe> reduce_scatter_by_hosts(const Setting& setting, const Request& request);
std::unique_ptr<Recipe> all_gather_by_hosts(const Setting& setting, const Request& request);

// ---- in the order of ranks: what one host gives, bit for bit ----
/// Every contribution travels to where it is combined: with all others in one go.
std::unique_ptr<Recipe> combine_in_rank_order(const Setting& setting, const Request& request);
/// The same in two exchanges: all_reduce of vectors too long to send to everybody.
std::unique_ptr<Recipe> all_reduce_in_rank_order(const Setting& setting, const Request& request);

// ---- the rest ----
std::unique_ptr<Recipe> barrier_by_first_ranks(const Setting& setting, const Request& request);
/// A send or recv between two ranks of this host.
std::unique_ptr<Recipe> message_here(const Setting& setting, const Request& request);
/// Calls of the network among all ranks, and nothing inside the hosts.
std::unique_ptr<Recipe> whole_network(const Setting& setting, const Request& request);

}  // namespace tutti::two_level
