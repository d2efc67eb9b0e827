/// @file  Verdicts: what every rank says at a point where all go on or none does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti::cuda {

/// Collective: each rank's bytes, in rank order. When `mine` throws on some ranks, all throw NoAgreement alike, naming the
/// first of them and why, and none before all have come through theirs. `look` is called while waiting, and may throw.
class NoAgreement : public Error {
 public:
  using Error::Error;
};
std::vector<Store::Value> agree(const World& world, const std::string& point, const std::function<void()>& look,
                                const std::function<Store::Value()>& mine);

}  // namespace tutti::cuda
