#include "bootstrap/mpi_words.hpp"

namespace tutti {

MPI_Datatype mpi_type(DataType type) {
  switch (type) {
    case DataType::int8:
      return MPI_INT8_T;
    case DataType::uint8:
      return MPI_UINT8_T;
    case DataType::int16:
      return MPI_INT16_T;
    case DataType::uint16:
      return MPI_UINT16_T;
    case DataType::int32:
      return MPI_INT32_T;
    case DataType::uint32:
      return MPI_UINT32_T;
    case DataType::int64:
      return MPI_INT64_T;
    case DataType::uint64:
      return MPI_UINT64_T;
    case DataType::float32:
      return MPI_FLOAT;
    case DataType::float64:
      return MPI_DOUBLE;
    default:
      return MPI_DATATYPE_NULL;
  }
}

MPI_Op mpi_op(Op op) {
  switch (op) {
    case Op::sum:
      return MPI_SUM;
    case Op::product:
      return MPI_PROD;
    case Op::minimum:
      return MPI_MIN;
    case Op::maximum:
      return MPI_MAX;
    case Op::bitwise_and:
      return MPI_BAND;
    case Op::bitwise_or:
      return MPI_BOR;
    case Op::bitwise_xor:
      return MPI_BXOR;
    default:
      return MPI_OP_NULL;
  }
}

}  // namespace tutti
