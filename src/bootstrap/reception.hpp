/// @file  Reception: where ranks of a host meet those that join them later.
#pragma once

#include <string>

#include "tutti/bootstrap/endpoint.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti {

/// "unix:NAME"; throws invalid_argument for anything else.
Endpoint reception_place(const std::string& place);

/// `world` with as many ranks more; nothing is joined yet.
World larger(const World& world, int newcomers);

/// Rank 0 serves a store for the `grown` ranks at `place`, of which the last are `newcomers`. Throws resource when it is taken.
void open_reception(World& grown, int newcomers, const Endpoint& place);

/// The other ranks come to it.
void enter_reception(World& grown, const Endpoint& place);

}  // namespace tutti
