/// @file  Everything a program that uses tutti needs, but for MPI communicators: those are in tutti/bootstrap/mpi.hpp.
#pragma once

#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/bootstrap/join.hpp"
#include "tutti/bootstrap/world.hpp"
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"
#include "tutti/config.hpp"
#include "tutti/explain.hpp"
#include "tutti/group.hpp"
#include "tutti/in_process.hpp"
#include "tutti/run/work.hpp"
