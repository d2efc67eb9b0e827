/// @file  What else must hold between hosts: MPI's own calls, bits, parts, errors. For any network.
#pragma once

#include "tutti/communicator.hpp"

namespace tutti::test {

// Each is collective, and throws what is wrong.

/// Every collective that reduces by one call of the network, with the operators that MPI does not have.
void check_backend_mpi(Communicator& comm);
/// Deterministic results, and those of operators that do not commute, are those of as many ranks on one host, which
/// threads of this process play.
void check_same_bits_as_one_host(Communicator& comm);
/// Communicators of every other rank, of one host, of parts of parts, of nobody else.
void check_split(Communicator& comm);
/// All ranks hold one topology, with every host in it.
void check_topology(Communicator& comm);
/// What has no two-level form, or what only one host has, is refused with the reason.
void check_refusals(Communicator& comm);
/// Needs check_across_ranks. Different counts are an error on all ranks, and nothing worse.
void check_mismatch(Communicator& comm);
/// Likewise: a rank that sends more to another in an all_to_all_v than that expects is an error on all ranks.
void check_tables(Communicator& comm);
/// A receive of another length than the send is an error. (The communicator is over.)
void check_message_length(Communicator& comm);
/// The last rank stays away: the others say so in time. (The communicator is over.)
void check_timeout(Communicator& comm);
/// Rank 0 aborts while the others wait: they hear of it, on other hosts too. (The communicator is over.)
void check_abort(Communicator& comm);
/// Rank 0 aborts while all but rank 0 are in a call of a part of a part: they hear of it. (The communicator is over.)
void check_abort_above(Communicator& comm);

}  // namespace tutti::test
