/// @file  MpiOperator: an operator of ours as an MPI_Op that calls our loop.
#pragma once

#include <memory>
#include <vector>

#include "tutti/base/reduce_op.hpp"
#include "tutti/bootstrap/mpi.hpp"

namespace tutti {

/// MPI hands its operators no state of ours, so each gets a C function of its own out of a fixed table.
class MpiOperator {
 public:
  /// Throws Error(resource) when the table is full.
  MpiOperator(ReduceOp::Loop loop, const ReduceOp& op);
  ~MpiOperator();
  MpiOperator(const MpiOperator&) = delete;
  MpiOperator& operator=(const MpiOperator&) = delete;

  MPI_Op handle() const { return handle_; }
  bool is(ReduceOp::Loop loop, const ReduceOp& op) const;
  /// Throws what the caller's function object has thrown inside MPI, once.
  void rethrow() const;

  static bool any_free();

 private:
  int slot_;
  MPI_Op handle_ = MPI_OP_NULL;
};

/// The operator that MPI itself has for elements of `type` with the same meaning as ours; MPI_OP_NULL when there is none.
/// Left out are minimum and maximum of floats, as MPI does not say what becomes of NaN, and sums and products of short
/// integers: ours wrap, and Open MPI 4.1 saturates where it uses vector instructions.
MPI_Op mpi_builtin(DataType type, Op op);

/// Operators and element types, made when first needed and kept. One thread at a time.
class MpiVocabulary {
 public:
  ~MpiVocabulary();
  /// A type of `size` bytes where MPI has none.
  MPI_Datatype type(DataType type, std::size_t size);
  std::shared_ptr<const MpiOperator> own_operator(ReduceOp::Loop loop, const ReduceOp& op);

 private:
  std::vector<MPI_Datatype> bytes_;  ///< [size of element]
  std::vector<std::shared_ptr<const MpiOperator>> operators_;
};

}  // namespace tutti
