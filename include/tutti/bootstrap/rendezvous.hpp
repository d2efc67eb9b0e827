/// @file  gather_ranks: everybody comes to the store, or everybody learns who has not.
#pragma once

#include <string_view>

#include "tutti/bootstrap/world.hpp"

namespace tutti {

/// Returns on all ranks after all have called it with the same `what`, which names this meeting and is used
/// once.
///
/// Also compares what the ranks believe: the size of the job and the version of the library. While rank 0
/// waits it says through `world.progress` which ranks have not come; the others do when it is rank 0 that is
/// missing. Errors, on every rank that came: timeout with the list of missing ranks; mismatch with the two
/// ranks and their beliefs. Leaves no keys behind.
void gather_ranks(const World& world, std::string_view what, Store::Deadline deadline);

}  // namespace tutti
