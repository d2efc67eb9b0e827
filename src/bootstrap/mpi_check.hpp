/// @file  check_mpi: a return code of MPI becomes an Error with MPI's own words.
#pragma once

#include <string>

#include "tutti/base/error.hpp"
#include "tutti/bootstrap/mpi.hpp"

namespace tutti {

inline std::string mpi_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
  return {text, static_cast<std::size_t>(length)};
}

/// `call` names the function. Communicators that this is used on return errors instead of ending the job.
inline void check_mpi(int code, const char* call, Where where = Where::here()) {
  if (code == MPI_SUCCESS) [[likely]]
    return;
  throw Error(Code::network, std::string(call) + ": " + mpi_text(code),
              {.remedy = "look at MPI's own messages and at the other hosts; the communicator cannot be used any more"},
              where);
}

/// MPI can be called: it has been initialised and not yet finalised.
inline bool mpi_is_up() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  return is_initialized != 0 && is_finalized == 0;
}

}  // namespace tutti
