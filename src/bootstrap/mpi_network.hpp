/// @file  MpiNetwork: MPI as what carries collectives between hosts.
#pragma once

#include <cstddef>
#include <memory>

#include "bootstrap/mpi_transfer.hpp"
#include "tutti/bootstrap/mpi.hpp"
#include "tutti/bootstrap/network.hpp"

namespace tutti {

/// Every call is one of MPI's own non-blocking collectives, or several where counts do not fit an `int`.
class MpiNetwork final : public Network {
 public:
  explicit MpiNetwork(std::shared_ptr<MpiComm> comm) : comm_(std::move(comm)) {}

  std::string_view name() const noexcept override { return "mpi"; }
  int rank() const noexcept override { return comm_->rank; }
  int size() const noexcept override { return comm_->size; }
  Threads threads() const noexcept override;
  std::shared_ptr<Network> subset(std::span<const int> ranks) override;
  std::unique_ptr<Transfer> start(const Request& request, ReduceOp::Loop loop, std::shared_ptr<void> kept) override;

 private:
  std::shared_ptr<MpiComm> comm_;
};

/// Elements that a call of MPI is given at most: its counts are `int`, and some libraries add a few of them up.
inline constexpr std::size_t most_mpi_elements = std::size_t{1} << 30;

/// Over a communicator that belongs to `keep_alive`, whose errors return from now on, and on which nobody else
/// communicates. Touches nothing but its size and rank: a network that is not used costs nothing.
std::shared_ptr<Network> mpi_network(MPI_Comm communicator, std::shared_ptr<void> keep_alive,
                                     std::size_t most = most_mpi_elements);

}  // namespace tutti
