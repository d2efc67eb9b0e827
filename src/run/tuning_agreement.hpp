/// @file  That all ranks have one tuning, and that it is for their machines: what each says of its own, and the verdict.
#pragma once

#include <span>
#include <string>

#include "tutti/bootstrap/world.hpp"
#include "tutti/choose/tuning.hpp"

namespace tutti {

/// What this rank says of its tuning: its digest and what speaks against it here, one line; empty: it has none.
std::string word_of(const Tuning* tuning);

/// What is wrong, given the words of all ranks: whose tuning differs from rank 0's, or is not for their machine. Empty:
/// nothing.
std::string discord_of(std::span<const std::string> words);

/// Throws mismatch unless it is empty.
void refuse_discord(const std::string& discord, int rank);

/// Collective, by ranks that share the World's store and exchange nothing else.
void agree_on_tuning(const World& world, const Tuning* tuning, Store::Deadline deadline);

}  // namespace tutti
