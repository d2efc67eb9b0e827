/// @file  Copy: memcpy, but as quick for every pair of addresses.
#pragma once

#include <cstddef>

namespace tutti::host {

/// For memory that does not overlap. From 2 KiB up glibc's memcpy (2.36) copies by one string instruction, which Zen 3 takes
/// 30 times as long for where the destination begins 1 to 31 bytes later in its page than the source does in its own.
void copy(const void* source, void* destination, std::size_t bytes) noexcept;

}  // namespace tutti::host
