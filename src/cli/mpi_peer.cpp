#ifdef TUTTI_WITH_MPI
#include "cli/mpi_peer.hpp"

#include <fmt/format.h>

#include <array>
#include <climits>
#include <memory>
#include <vector>

#include "bootstrap/mpi_words.hpp"

namespace tutti::cli {

namespace {

using bench::Call;
using bench::Runner;

/// Data that is only moved needs a type of the right size.
MPI_Datatype moved_as(DataType type) {
  switch (size_of(type)) {
    case 1:
      return MPI_UINT8_T;
    case 2:
      return MPI_UINT16_T;
    case 4:
      return MPI_UINT32_T;
    default:
      return MPI_UINT64_T;
  }
}

MPI_Datatype type_of(const Call& call) { return reduces(call.collective) ? mpi_type(call.type) : moved_as(call.type); }

/// Tables of MPI's uneven collectives: counts, and where each part begins.
struct Parts {
  explicit Parts(const std::vector<std::size_t>& from) {
    int begin = 0;
    for (const std::size_t count : from) {
      counts.push_back(static_cast<int>(count));
      begins.push_back(begin);
      begin += counts.back();
    }
  }
  std::vector<int> counts;
  std::vector<int> begins;
};

}  // namespace

MpiPeer::MpiPeer(MPI_Comm communicator) : communicator_(communicator) {
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &ranks_);
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string line(text.data(), static_cast<std::size_t>(length));
  for (char& c : line) {
    if (c == '\t') c = ' ';
  }
  return line.substr(0, line.find_first_of(",\n"));
}

std::string MpiPeer::version() const { return mpi_library(); }

std::string MpiPeer::unsupported(const Call& call) const {
  if (reduces(call.collective)) {
    if (mpi_type(call.type) == MPI_DATATYPE_NULL) return fmt::format("MPI has no {}", tutti::name(call.type));
    if (mpi_op(call.op) == MPI_OP_NULL) return fmt::format("MPI has no {}", tutti::name(call.op));
  }
  if (call.collective == Collective::broadcast && !call.in_place) return "MPI broadcasts in place only";
  if (call.extent.size / size_of(call.type) > INT_MAX) return "MPI counts elements in 31 bits";
  return {};
}

Runner MpiPeer::runner(Call& call) {
  const MPI_Datatype type = type_of(call);
  const MPI_Op op = mpi_op(call.op);
  const MPI_Comm comm = communicator_;
  const int count = static_cast<int>(call.extent.count);
  const int root = call.root;
  const bool is_root = rank_ == root;
  const bool at_root = call.in_place && is_root;
  const void* in = call.in_place ? MPI_IN_PLACE : call.in;
  void* out = call.out;
  switch (call.collective) {
    case Collective::all_reduce:
      return [=] { MPI_Allreduce(in, out, count, type, op, comm); };
    case Collective::reduce: {
      const void* from = at_root ? MPI_IN_PLACE : call.in;
      return [=] { MPI_Reduce(from, is_root ? out : nullptr, count, type, op, root, comm); };
    }
    case Collective::reduce_scatter: {
      if (!call.in_place) return [=] { MPI_Reduce_scatter_block(in, out, count, type, op, comm); };
      call.out = call.in;  // in place, MPI writes the part to the front
      void* both = call.in;
      return [=] { MPI_Reduce_scatter_block(MPI_IN_PLACE, both, count, type, op, comm); };
    }
    case Collective::all_gather:
      return [=] { MPI_Allgather(in, count, type, out, count, type, comm); };
    case Collective::all_to_all:
      return [=] { MPI_Alltoall(in, count, type, out, count, type, comm); };
    case Collective::broadcast:
      return [=] { MPI_Bcast(out, count, type, root, comm); };
    case Collective::gather: {
      const void* from = at_root ? MPI_IN_PLACE : call.in;
      return [=] { MPI_Gather(from, count, type, out, count, type, root, comm); };
    }
    case Collective::scatter: {
      const void* from = call.in;
      void* to = at_root ? MPI_IN_PLACE : out;
      return [=] { MPI_Scatter(from, count, type, to, count, type, root, comm); };
    }
    case Collective::send: {
      const void* from = call.in;
      const int next = (rank_ + 1) % ranks_;
      const int previous = (rank_ + ranks_ - 1) % ranks_;
      return [=] { MPI_Sendrecv(from, count, type, next, 0, out, count, type, previous, 0, comm, MPI_STATUS_IGNORE); };
    }
    case Collective::barrier:
      return [=] { MPI_Barrier(comm); };
    default:
      if (call.in_place && call.collective == Collective::reduce_scatter_v) call.out = call.in;
      return uneven(call);
  }
}

Runner MpiPeer::uneven(const Call& call) const {
  const MPI_Datatype type = type_of(call);
  const MPI_Op op = mpi_op(call.op);
  const MPI_Comm comm = communicator_;
  const auto sent = std::make_shared<const Parts>(call.extent.counts);
  const auto received = std::make_shared<const Parts>(call.extent.receive_counts);
  const int count = static_cast<int>(call.extent.in);
  const void* in = call.in_place ? MPI_IN_PLACE : call.in;
  void* out = call.out;
  switch (call.collective) {
    case Collective::all_gather_v:
      return [=] { MPI_Allgatherv(in, count, type, out, sent->counts.data(), sent->begins.data(), type, comm); };
    case Collective::reduce_scatter_v:
      return [=] { MPI_Reduce_scatter(in, out, sent->counts.data(), type, op, comm); };
    default:
      return [=] {
        MPI_Alltoallv(in, sent->counts.data(), sent->begins.data(), type, out, received->counts.data(),
                      received->begins.data(), type, comm);
      };
  }
}

}  // namespace tutti::cli
#endif
