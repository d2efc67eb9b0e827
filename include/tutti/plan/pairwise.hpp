/// @file  Pairwise: one message from one rank to another; the halves of send and recv.
#pragma once

#include "tutti/base/types.hpp"
#include "tutti/plan/step.hpp"

namespace tutti::plan::pairwise {

/// `peer` is where the message goes, or comes from. Its wire is kept for such messages.
TUTTI_HOST_DEVICE constexpr Step step(Collective collective, int peer, std::uint8_t wire) {
  if (collective == Collective::send) {
    return {.to_wire = wire, .own = Place::input, .blocks = {0, 1}, .to = one(peer)};
  }
  return {.from = one(peer), .from_wire = wire, .store = Place::output, .blocks = {0, 1}};
}

}  // namespace tutti::plan::pairwise
