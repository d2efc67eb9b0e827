#include "bootstrap/mpi_call.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "bootstrap/mpi_check.hpp"

namespace tutti {

namespace {

/// Of messages; each kind comes in order, and they do not meet.
enum Tag : int { tag_of_send = 1, tag_of_parts = 2 };

/// Calls f(begin, length) for each piece.
template <class F>
void for_pieces(std::size_t count, std::size_t most, const F& f) {
  for (std::size_t begin = 0; begin < count; begin += most) f(begin, static_cast<int>(std::min(most, count - begin)));
}

}  // namespace

MpiCall::MpiCall(MpiTransfer& transfer, const Request& request, ReduceOp::Loop loop)
    : transfer_(transfer),
      comm_(transfer.comm()),
      request_(request),
      in_(static_cast<const std::byte*>(request.in)),
      out_(static_cast<std::byte*>(request.out)),
      type_(request.element_size == 0 ? MPI_BYTE : comm_.vocabulary->type(request.type, request.element_size)) {
  if (reduces(request.collective)) {
    op_ = mpi_builtin(request.type, request.op.kind);
    if (op_ == MPI_OP_NULL) {
      auto own = comm_.vocabulary->own_operator(loop, request.op);
      op_ = own->handle();
      transfer.use(std::move(own));
    }
  }
  begin();
}

void MpiCall::begin() {
  const bool uneven = !request_.counts.empty();
  if (!uneven && request_.count == 0) return;  // on all ranks
  switch (request_.collective) {
    case Collective::all_reduce:
      return all_reduce();
    case Collective::reduce:
      return reduce();
    case Collective::broadcast:
      return broadcast();
    case Collective::all_gather:
      return all_gather();
    case Collective::all_gather_v:
      return all_gather_v();
    case Collective::reduce_scatter:
      return reduce_scatter();
    case Collective::reduce_scatter_v:
      return reduce_scatter_v();
    case Collective::gather:
      return gather();
    case Collective::scatter:
      return scatter();
    case Collective::all_to_all:
      return all_to_all();
    case Collective::all_to_all_v:
      return all_to_all_v();
    case Collective::barrier:
      return check_mpi(MPI_Ibarrier(comm_.handle, transfer_.another()), "MPI_Ibarrier");
    case Collective::send:
      return send(in_, request_.count, request_.root, tag_of_send);
    case Collective::recv:
      return receive(out_, request_.count, request_.root, tag_of_send);
  }
}

// ---- one vector ----------------------------------------------------------------------------------------------------

void MpiCall::all_reduce() {
  for_pieces(request_.count, comm_.most, [&](std::size_t begin, int length) {
    check_mpi(MPI_Iallreduce(in_ == out_ ? MPI_IN_PLACE : in_ + bytes(begin), out_ + bytes(begin), length, type_, op_,
                             comm_.handle, transfer_.another()),
              "MPI_Iallreduce");
  });
}

void MpiCall::reduce() { reduce_in_pieces(in_, out_, request_.count, request_.root); }

void MpiCall::reduce_in_pieces(const std::byte* in, std::byte* out, std::size_t count, int root) {
  const bool here = comm_.rank == root;
  for_pieces(count, comm_.most, [&](std::size_t begin, int length) {
    const bool in_place = here && in == out;
    check_mpi(MPI_Ireduce(in_place ? MPI_IN_PLACE : in + bytes(begin), here ? out + bytes(begin) : nullptr, length,
                          type_, op_, root, comm_.handle, transfer_.another()),
              "MPI_Ireduce");
  });
}

void MpiCall::broadcast() {
  if (is_root() && in_ != out_) copy(out_, in_, request_.count);
  broadcast_in_pieces(out_, request_.count, request_.root);
}

void MpiCall::broadcast_in_pieces(std::byte* data, std::size_t count, int root) {
  for_pieces(count, comm_.most, [&](std::size_t begin, int length) {
    check_mpi(MPI_Ibcast(data + bytes(begin), length, type_, root, comm_.handle, transfer_.another()), "MPI_Ibcast");
  });
}

// ---- a part for each rank ------------------------------------------------------------------------------------------

std::size_t MpiCall::before(int rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (request_.counts.empty()) return index * request_.count;
  const auto first = request_.counts.first(index);
  return std::accumulate(first.begin(), first.end(), std::size_t{0});
}

std::size_t MpiCall::part(int rank) const {
  return request_.counts.empty() ? request_.count : request_.counts[static_cast<std::size_t>(rank)];
}

std::vector<int>& MpiCall::counts_table() {
  std::vector<int>& table = transfer_.table();
  for (const std::size_t count : request_.counts) table.push_back(static_cast<int>(count));
  return table;
}

std::vector<int>& MpiCall::places_table() {
  std::vector<int>& table = transfer_.table();
  int place = 0;
  for (const std::size_t count : request_.counts) {
    table.push_back(place);
    place += static_cast<int>(count);
  }
  return table;
}

void MpiCall::all_gather() {
  if (!fits(request_.count)) return all_gather_v();
  std::byte* const mine = out_ + bytes(before(comm_.rank));
  const int length = static_cast<int>(request_.count);
  check_mpi(MPI_Iallgather(in_ == mine ? MPI_IN_PLACE : in_, length, type_, out_, length, type_, comm_.handle,
                           transfer_.another()),
            "MPI_Iallgather");
}

void MpiCall::all_gather_v() {
  std::byte* const mine = out_ + bytes(before(comm_.rank));
  const std::size_t length = part(comm_.rank);
  if (!request_.counts.empty() && fits(before(comm_.size))) {
    const std::vector<int>& counts = counts_table();
    const std::vector<int>& places = places_table();
    check_mpi(MPI_Iallgatherv(in_ == mine ? MPI_IN_PLACE : in_, static_cast<int>(length), type_, out_, counts.data(),
                              places.data(), type_, comm_.handle, transfer_.another()),
              "MPI_Iallgatherv");
    return;
  }
  if (in_ != mine) copy(mine, in_, length);
  for (int rank = 0; rank < comm_.size; ++rank) broadcast_in_pieces(out_ + bytes(before(rank)), part(rank), rank);
}

void MpiCall::reduce_scatter() {
  if (!fits(request_.count)) return reduce_scatter_v();
  // In place, MPI would put every rank's result at the beginning; ours belongs to where the rank's part is.
  const bool in_place = out_ == in_ + bytes(before(comm_.rank));
  std::byte* const result = in_place ? transfer_.scratch(bytes(request_.count)) : out_;
  check_mpi(MPI_Ireduce_scatter_block(in_, result, static_cast<int>(request_.count), type_, op_, comm_.handle,
                                      transfer_.another()),
            "MPI_Ireduce_scatter_block");
  if (in_place) {
    transfer_.then([out = out_, result, size = bytes(request_.count)] { std::memcpy(out, result, size); });
  }
}

void MpiCall::reduce_scatter_v() {
  const std::size_t length = part(comm_.rank);
  if (request_.counts.empty() || !fits(before(comm_.size))) {
    for (int rank = 0; rank < comm_.size; ++rank) {
      reduce_in_pieces(in_ + bytes(before(rank)), out_, part(rank), rank);
    }
    return;
  }
  const bool in_place = out_ == in_ + bytes(before(comm_.rank));
  std::byte* const result = in_place ? transfer_.scratch(bytes(length)) : out_;
  check_mpi(MPI_Ireduce_scatter(in_, result, counts_table().data(), type_, op_, comm_.handle, transfer_.another()),
            "MPI_Ireduce_scatter");
  if (in_place && length > 0) {
    transfer_.then([out = out_, result, size = bytes(length)] { std::memcpy(out, result, size); });
  }
}

void MpiCall::gather() {
  std::byte* const mine = out_ == nullptr ? nullptr : out_ + bytes(before(comm_.rank));
  if (fits(request_.count)) {
    const int length = static_cast<int>(request_.count);
    check_mpi(MPI_Igather(is_root() && in_ == mine ? MPI_IN_PLACE : in_, length, type_, out_, length, type_,
                          request_.root, comm_.handle, transfer_.another()),
              "MPI_Igather");
    return;
  }
  if (!is_root()) return send(in_, request_.count, request_.root, tag_of_parts);
  if (in_ != mine) copy(mine, in_, request_.count);
  for (int rank = 0; rank < comm_.size; ++rank) {
    if (rank != comm_.rank) receive(out_ + bytes(before(rank)), request_.count, rank, tag_of_parts);
  }
}

void MpiCall::scatter() {
  const std::byte* const mine = in_ == nullptr ? nullptr : in_ + bytes(before(comm_.rank));
  if (fits(request_.count)) {
    const int length = static_cast<int>(request_.count);
    check_mpi(MPI_Iscatter(in_, length, type_, is_root() && out_ == mine ? MPI_IN_PLACE : out_, length, type_,
                           request_.root, comm_.handle, transfer_.another()),
              "MPI_Iscatter");
    return;
  }
  if (!is_root()) return receive(out_, request_.count, request_.root, tag_of_parts);
  if (out_ != mine) copy(out_, mine, request_.count);
  for (int rank = 0; rank < comm_.size; ++rank) {
    if (rank != comm_.rank) send(in_ + bytes(before(rank)), request_.count, rank, tag_of_parts);
  }
}

// ---- a part from each rank to each rank ----------------------------------------------------------------------------

void MpiCall::all_to_all() {
  const std::size_t all = request_.count * static_cast<std::size_t>(comm_.size);
  const std::byte* in = in_;
  if (in_ == out_) {  // what is received must not overwrite what is still to be sent
    std::byte* const copied = transfer_.scratch(bytes(all));
    copy(copied, in_, all);
    in = copied;
  }
  if (fits(request_.count)) {
    const int length = static_cast<int>(request_.count);
    check_mpi(MPI_Ialltoall(in, length, type_, out_, length, type_, comm_.handle, transfer_.another()),
              "MPI_Ialltoall");
    return;
  }
  copy(out_ + bytes(before(comm_.rank)), in + bytes(before(comm_.rank)), request_.count);
  for (int step = 1; step < comm_.size; ++step) {
    const int to = (comm_.rank + step) % comm_.size;
    const int from = (comm_.rank - step + comm_.size) % comm_.size;
    receive(out_ + bytes(before(from)), request_.count, from, tag_of_parts);
    send(in + bytes(before(to)), request_.count, to, tag_of_parts);
  }
}

/// By messages: whether the tables fit MPI's `int` is known to each rank for itself only, so that a choice between
/// MPI's own call and another would not be the same on all.
void MpiCall::all_to_all_v() {
  std::vector<std::size_t> in_begins;
  std::vector<std::size_t> out_begins;
  std::exclusive_scan(request_.counts.begin(), request_.counts.end(), std::back_inserter(in_begins), std::size_t{0});
  std::exclusive_scan(request_.receive_counts.begin(), request_.receive_counts.end(), std::back_inserter(out_begins),
                      std::size_t{0});
  const auto self = static_cast<std::size_t>(comm_.rank);
  copy(out_ + bytes(out_begins[self]), in_ + bytes(in_begins[self]), request_.counts[self]);
  for (int step = 1; step < comm_.size; ++step) {
    const auto to = static_cast<std::size_t>((comm_.rank + step) % comm_.size);
    const auto from = static_cast<std::size_t>((comm_.rank - step + comm_.size) % comm_.size);
    receive(out_ + bytes(out_begins[from]), request_.receive_counts[from], static_cast<int>(from), tag_of_parts);
    send(in_ + bytes(in_begins[to]), request_.counts[to], static_cast<int>(to), tag_of_parts);
  }
}

// ---- messages ------------------------------------------------------------------------------------------------------

void MpiCall::send(const std::byte* data, std::size_t count, int peer, int tag) {
  for_pieces(count, comm_.most, [&](std::size_t begin, int length) {
    check_mpi(MPI_Isend(data + bytes(begin), length, type_, peer, tag, comm_.handle, transfer_.another()), "MPI_Isend");
  });
}

void MpiCall::receive(std::byte* data, std::size_t count, int peer, int tag) {
  for_pieces(count, comm_.most, [&](std::size_t begin, int length) {
    check_mpi(MPI_Irecv(data + bytes(begin), length, type_, peer, tag, comm_.handle,
                        transfer_.another_receive(type_, static_cast<std::size_t>(length))),
              "MPI_Irecv");
  });
}

void MpiCall::copy(std::byte* to, const std::byte* from, std::size_t elements) const {
  if (to == nullptr || from == nullptr) return;  // only a buffer of no elements may be null
  std::memcpy(to, from, bytes(elements));
}

}  // namespace tutti
