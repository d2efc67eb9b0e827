/// @file  from_mpi: a World out of an MPI communicator. The only public header that knows MPI; link
/// tutti::mpi.
#pragma once

// The long-removed C++ bindings of MPI are neither needed nor free of warnings.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <chrono>
#include <string>

#include "tutti/bootstrap/world.hpp"

namespace tutti {

struct FromMpi {
  std::chrono::milliseconds timeout{60'000};  ///< for meeting over the store
  std::string host_id{};                      ///< as TUTTI_HOST_ID: parts the ranks of one host
  std::string listen{};                       ///< several hosts: the address or interface where rank 0 serves the store
};

/// Collective over `communicator`, which is duplicated: traffic of the caller and of tutti never mix, and the
/// caller may free its own. Job name and secret are random and travel by MPI_Bcast. Ranks of one host share a
/// unix socket, others TCP.
///
/// MPI must be initialised (Error(invalid_argument) otherwise) and is never finalised here; a World may be
/// dropped before or after MPI_Finalize. MPI is called only by the thread that calls this function, and by
/// the one that drops the last copy.
World from_mpi(MPI_Comm communicator, const FromMpi& options = {});

/// The duplicate that the World keeps; MPI_COMM_NULL when the World did not come from MPI. Valid while the
/// World lives.
MPI_Comm mpi_comm_of(const World& world);

}  // namespace tutti
