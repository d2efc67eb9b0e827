/// @file  mpi_type, mpi_op: MPI's own words for our element types and operators.
#pragma once

#include "tutti/base/reduce_op.hpp"
#include "tutti/base/types.hpp"
#include "tutti/bootstrap/mpi.hpp"

namespace tutti {

/// MPI's type with this arithmetic; MPI_DATATYPE_NULL when it has none.
MPI_Datatype mpi_type(DataType type);

/// MPI's operator of this name; MPI_OP_NULL when it has none. Whether it means the same is another question: see
/// mpi_builtin.
MPI_Op mpi_op(Op op);

}  // namespace tutti
