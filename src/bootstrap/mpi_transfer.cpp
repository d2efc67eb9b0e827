#include "bootstrap/mpi_transfer.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "bootstrap/mpi_check.hpp"

namespace tutti {

MpiComm::~MpiComm() {
  if (owned && !in_use_for_ever && handle != MPI_COMM_NULL && mpi_is_up()) MPI_Comm_free(&handle);
}

MpiTransfer::MpiTransfer(std::shared_ptr<MpiComm> comm, std::shared_ptr<void> kept)
    : parts_(std::make_unique<Parts>()) {
  parts_->comm = std::move(comm);
  parts_->kept = std::move(kept);
}

MpiTransfer::~MpiTransfer() {
  auto& pending = parts_->pending;
  if (tested_ == pending.size() || !mpi_is_up()) return;
  bool all_back = true;
  for (std::size_t i = tested_; i < pending.size(); ++i) {
    int done = 0;
    // Only a receive can be cancelled; one whose message has begun to come goes on, and nobody is to wait for it.
    if (pending[i].received != MPI_DATATYPE_NULL) MPI_Cancel(&pending[i].request);
    if (MPI_Test(&pending[i].request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done == 0) all_back = false;
  }
  if (all_back) return;
  // MPI offers no way to call the others back: what they use must stay.
  static std::mutex mutex;
  static auto* const forgotten = new std::vector<std::unique_ptr<Parts>>();  // NOLINT: never freed, on purpose
  const std::lock_guard lock(mutex);
  parts_->comm->in_use_for_ever = true;
  forgotten->push_back(std::move(parts_));
}

MPI_Request* MpiTransfer::another() { return &parts_->pending.emplace_back().request; }

MPI_Request* MpiTransfer::another_receive(MPI_Datatype type, std::size_t count) {
  return &parts_->pending.emplace_back(Pending{MPI_REQUEST_NULL, type, count}).request;
}

std::byte* MpiTransfer::scratch(std::size_t bytes) { return parts_->scratch.emplace_back(bytes).data(); }

std::vector<int>& MpiTransfer::table() { return *parts_->tables.emplace_back(std::make_unique<std::vector<int>>()); }

bool MpiTransfer::test() {
  auto& pending = parts_->pending;
  for (; tested_ < pending.size(); ++tested_) {
    Pending& one = pending[tested_];
    int done = 0;
    MPI_Status status;
    const int code = MPI_Test(&one.request, &done, &status);
    if (code != MPI_SUCCESS) {
      int error_class = code;
      MPI_Error_class(code, &error_class);
      ++tested_;
      if (error_class == MPI_ERR_TRUNCATE && one.received != MPI_DATATYPE_NULL) {
        throw Error(Code::mismatch, fmt::format("its message is longer than the {} elements expected", one.count),
                    {.remedy = "send and receive the same number of elements"});
      }
      check_mpi(code, "MPI_Test");
    }
    if (done == 0) return false;
    if (one.received == MPI_DATATYPE_NULL) continue;
    int count = 0;
    MPI_Get_count(&status, one.received, &count);
    if (count == MPI_UNDEFINED || static_cast<std::size_t>(count) != one.count) {
      ++tested_;
      throw Error(Code::mismatch, fmt::format("its message has {} elements, {} were expected", count, one.count),
                  {.remedy = "send and receive the same number of elements"});
    }
  }
  if (then_) std::exchange(then_, nullptr)();
  if (parts_->op != nullptr) parts_->op->rethrow();
  return true;
}

}  // namespace tutti
