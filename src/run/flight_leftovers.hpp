/// @file  What crashed jobs have left of their flight recorders: kept for a while, not for ever.
#pragma once

#include <cstddef>
#include <string>

namespace tutti {

/// Jobs whose recordings are kept in the default directory.
inline constexpr std::size_t kept_recordings = 64;

/// Removes the folders of the oldest jobs in `directory`, until no more than `most` are there. A folder with a file of a
/// living process, or of one that cannot be looked for from here, stays; so does whatever is no recording. Never throws.
void remove_old_recordings(const std::string& directory, std::size_t most = kept_recordings) noexcept;

}  // namespace tutti
