#include "tutti/budget.hpp"

#include <fmt/format.h>

#include "run/flight_layout.hpp"
#include "run/host/arena.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

Budget budget_of(const BudgetQuestion& question) {
  if (question.ranks < 1 || question.communicators < 1) {
    throw Error(Code::invalid_argument,
                fmt::format("a budget for {} ranks in {} communicators", question.ranks, question.communicators),
                {.operation = "budget_of", .remedy = "there is at least one of each"});
  }
  Budget budget;
  budget.shared_memory =
      static_cast<std::size_t>(question.communicators) * host::ArenaShape::for_ranks(question.ranks).total_bytes();
  budget.recorder_memory = flight::total_bytes;
  budget.threads = budget.threads_of_rank_0 = question.config.progress_thread ? 1 : 0;
  if (question.threads || question.ranks == 1) return budget;
  // Rank 0: a socket that listens, one for each other rank, and two descriptors of the loop that serves them.
  budget.sockets_of_rank_0 = question.ranks;
  budget.descriptors_of_rank_0 = budget.sockets_of_rank_0 + 2;
  budget.threads_of_rank_0 += 1;
  budget.sockets = budget.descriptors = 1;
  return budget;
}

}  // namespace tutti
