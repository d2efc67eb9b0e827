/// @file  From the words of a flight recorder's memory to call records.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "run/flight_layout.hpp"
#include "run/ticks.hpp"
#include "tutti/run/call_record.hpp"

namespace tutti::flight {

/// The call in a slot; nothing when there is none, when it is being written at this moment, or when its words make no
/// sense.
std::optional<CallRecord> read(const Slot& slot, std::span<const Membership> memberships, const TickPair& first,
                               const TickPair& last);

}  // namespace tutti::flight
