#include "bootstrap/mpi_network.hpp"

#include <utility>
#include <vector>

#include "bootstrap/mpi_call.hpp"
#include "bootstrap/mpi_check.hpp"

namespace tutti {

namespace {

/// For making groups; no message of ours has it.
constexpr int tag_of_groups = 7;

std::shared_ptr<MpiComm> comm_of(MPI_Comm handle, std::size_t most) {
  auto comm = std::make_shared<MpiComm>();
  comm->handle = handle;
  comm->most = most;
  check_mpi(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(handle, &comm->rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(handle, &comm->size), "MPI_Comm_size");
  return comm;
}

}  // namespace

Network::Threads MpiNetwork::threads() const noexcept {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return Threads::any;
  return level == MPI_THREAD_SERIALIZED ? Threads::one_at_a_time : Threads::one;
}

std::shared_ptr<Network> MpiNetwork::subset(std::span<const int> ranks) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  check_mpi(MPI_Comm_group(comm_->handle, &all), "MPI_Comm_group");
  int code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  if (code == MPI_SUCCESS) {
    code = MPI_Comm_create_group(comm_->handle, some, tag_of_groups, &made);
    MPI_Group_free(&some);
  }
  MPI_Group_free(&all);
  check_mpi(code, "MPI_Comm_create_group");
  auto comm = comm_of(made, comm_->most);
  comm->owned = true;
  comm->vocabulary = comm_->vocabulary;
  comm->keep_alive = comm_->keep_alive;
  return std::make_shared<MpiNetwork>(std::move(comm));
}

std::unique_ptr<Transfer> MpiNetwork::start(const Request& request, ReduceOp::Loop loop, std::shared_ptr<void> kept) {
  auto transfer = std::make_unique<MpiTransfer>(comm_, std::move(kept));
  const MpiCall begin(*transfer, request, loop);
  return transfer;
}

std::shared_ptr<Network> mpi_network(MPI_Comm communicator, std::shared_ptr<void> keep_alive, std::size_t most) {
  auto comm = comm_of(communicator, most);
  comm->vocabulary = std::make_shared<MpiVocabulary>();
  comm->keep_alive = std::move(keep_alive);
  return std::make_shared<MpiNetwork>(std::move(comm));
}

}  // namespace tutti
