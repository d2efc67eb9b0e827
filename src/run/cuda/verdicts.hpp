/// @file  Verdicts: what every rank says at a point where all go on or none does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tutti/bootstrap/world.hpp"

namespace tutti::cuda {

/// Collective: each rank's bytes, in rank order. A rank whose `mine` throws is heard by all: then it throws that, and the
/// others throw a `bootstrap` error that names it and says why. `look` is called while waiting, and may throw.
std::vector<Store::Value> agree(const World& world, const std::string& point, const std::function<void()>& look,
                                const std::function<Store::Value()>& mine);

}  // namespace tutti::cuda
