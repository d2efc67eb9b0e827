/// @file  MpiCall: a request of ours becomes calls of MPI.
#pragma once

#include <cstddef>
#include <span>

#include "bootstrap/mpi_transfer.hpp"
#include "tutti/base/request.hpp"

namespace tutti {

/// MPI counts in `int`. What is longer becomes several calls: vectors in pieces, the parts of ranks one by one. All
/// ranks come to the same calls, since that depends only on what is equal on all of them.
class MpiCall {
 public:
  /// Begins it; the rest is up to `transfer`.
  MpiCall(MpiTransfer& transfer, const Request& request, ReduceOp::Loop loop);

 private:
  void begin();
  void all_reduce();
  void reduce();
  void broadcast();
  void all_gather();
  void all_gather_v();
  void reduce_scatter();
  void reduce_scatter_v();
  void gather();
  void scatter();
  void all_to_all();
  void all_to_all_v();

  void reduce_in_pieces(const std::byte* in, std::byte* out, std::size_t count, int root);
  void broadcast_in_pieces(std::byte* data, std::size_t count, int root);
  void send(const std::byte* data, std::size_t count, int peer, int tag);
  void receive(std::byte* data, std::size_t count, int peer, int tag);
  void copy(std::byte* to, const std::byte* from, std::size_t elements) const;

  bool fits(std::size_t elements) const { return elements <= comm_.most; }
  std::size_t bytes(std::size_t elements) const { return elements * request_.element_size; }
  /// Elements before the part of `rank`, and in it.
  std::size_t before(int rank) const;
  std::size_t part(int rank) const;
  std::vector<int>& counts_table();
  std::vector<int>& places_table();
  bool is_root() const { return comm_.rank == request_.root; }

  MpiTransfer& transfer_;
  const MpiComm& comm_;
  const Request& request_;
  const std::byte* in_;
  std::byte* out_;
  MPI_Datatype type_;
  MPI_Op op_ = MPI_OP_NULL;
};

}  // namespace tutti
