/// @file  MpiTransfer: the requests of MPI that one call has become.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "bootstrap/mpi_operator.hpp"
#include "tutti/bootstrap/mpi.hpp"
#include "tutti/bootstrap/network.hpp"

namespace tutti {

/// An MPI communicator of tutti's own.
struct MpiComm {
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  bool owned = false;            ///< freed with this; else by what `keep_alive` keeps
  bool in_use_for_ever = false;  ///< by a transfer that nobody waited for
  std::size_t most = 0;          ///< elements that one call of MPI is given
  std::shared_ptr<MpiVocabulary> vocabulary{};
  std::shared_ptr<void> keep_alive{};

  MpiComm() = default;
  ~MpiComm();
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;
};

class MpiTransfer final : public Transfer {
 public:
  /// With room for `requests`, so that adding them moves nothing.
  MpiTransfer(std::shared_ptr<MpiComm> comm, std::shared_ptr<void> kept);
  ~MpiTransfer() override;

  bool test() override;

  // ---- for whoever fills it ----
  const MpiComm& comm() const { return *parts_->comm; }
  /// Where MPI is to put its request.
  MPI_Request* another();
  /// The same for a message of exactly `count` elements, which can be taken back.
  MPI_Request* another_receive(MPI_Datatype type, std::size_t count);
  void use(std::shared_ptr<const MpiOperator> op) { parts_->op = std::move(op); }
  /// Memory of the transfer's own, which lives as long as MPI may touch it.
  std::byte* scratch(std::size_t bytes);
  std::vector<int>& table();
  /// Done once, when everything has come.
  void then(std::function<void()> action) { then_ = std::move(action); }

 private:
  struct Pending {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype received = MPI_DATATYPE_NULL;  ///< null: not a receive
    std::size_t count = 0;
  };
  /// What MPI may still use when nobody waits any more.
  struct Parts {
    std::shared_ptr<MpiComm> comm;
    std::shared_ptr<void> kept;
    std::shared_ptr<const MpiOperator> op;
    std::vector<Pending> pending;
    std::vector<std::vector<std::byte>> scratch;
    std::vector<std::unique_ptr<std::vector<int>>> tables;
  };

  std::unique_ptr<Parts> parts_;
  std::size_t tested_ = 0;  ///< pending ones before this are finished
  std::function<void()> then_;
};

}  // namespace tutti
