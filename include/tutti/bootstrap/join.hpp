/// @file  join: a rank that comes later finds the ranks that take it in (Communicator::grow).
#pragma once

#include <string>

#include "tutti/base/environment.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti {

/// The World of a rank that ranks of this host take in with `grow(newcomers, place)`, which may begin sooner or later. Its
/// rank comes after theirs. A Communicator made from it, with their Config, is what grow returns to them; threads of a
/// process that has ranks already may join, too.
///
/// `place` is "unix:NAME", as there. TUTTI_JOB ("tutti" where it is not set) and TUTTI_SECRET are those of the job, TUTTI_TIMEOUT
/// (60 s) is how long it waits. Throws invalid_argument for a place or a variable that makes no sense, bootstrap when the job or
/// the secret is another, timeout with what was waited for, mismatch for another version of the library.
World join(const std::string& place, const Environment& environment = process_environment());

}  // namespace tutti
