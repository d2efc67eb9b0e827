#include "run/host/agreement.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::host {

Agreement::Agreement(AgreementBoard board, int rank)
    : board_(board), rank_(rank), members_(static_cast<std::size_t>(board.ranks())) {
  std::iota(members_.begin(), members_.end(), 0);
}

bool Agreement::join() {
  if (round_ + 1 == AgreementBoard::rounds) return false;
  ++round_;
  candidates_ = std::move(members_);
  members_.clear();
  board_.place(round_, rank_).joined.store(1, std::memory_order_release);
  return true;
}

std::vector<int> Agreement::missing() const {
  std::vector<int> missing;
  for (const int rank : candidates_) {
    if (board_.place(round_, rank).joined.load(std::memory_order_acquire) == 0) missing.push_back(rank);
  }
  return missing;
}

Agreement::Answer Agreement::decided(const Gone& gone, bool late) {
  auto& decision = board_.round(round_).decided;
  if (decision.load(std::memory_order_acquire) == 0) {
    const std::vector<int> absent = missing();
    if (!late && !std::all_of(absent.begin(), absent.end(), gone)) return Answer::none;
    std::atomic<std::uint64_t>* bits = board_.proposal(round_, rank_);
    for (const int rank : candidates_) {
      if (std::find(absent.begin(), absent.end(), rank) != absent.end()) continue;
      bits[rank / 64].store(bits[rank / 64].load(std::memory_order_relaxed) | std::uint64_t{1} << (rank % 64),
                            std::memory_order_relaxed);
    }
    std::uint32_t nobody = 0;
    decision.compare_exchange_strong(nobody, static_cast<std::uint32_t>(rank_) + 1, std::memory_order_acq_rel);
  }
  const auto whose = static_cast<int>(decision.load(std::memory_order_acquire)) - 1;
  const std::atomic<std::uint64_t>* bits = board_.proposal(round_, whose);
  for (const int rank : candidates_) {
    if ((bits[rank / 64].load(std::memory_order_relaxed) >> (rank % 64) & 1) != 0) members_.push_back(rank);
  }
  return std::find(members_.begin(), members_.end(), rank_) != members_.end() ? Answer::yes : Answer::no;
}

void Agreement::set_name(std::string_view name) {
  AgreementBoard::Round& round = board_.round(round_);
  const std::size_t length = name.copy(round.name, sizeof round.name - 1);
  round.name[length] = '\0';
  round.named.store(1, std::memory_order_release);
}

std::string Agreement::name() const {
  const AgreementBoard::Round& round = board_.round(round_);
  return round.named.load(std::memory_order_acquire) != 0 ? std::string(round.name) : std::string();
}

void Agreement::set_built(bool well) {
  board_.place(round_, rank_).built.store(well ? 1 : 2, std::memory_order_release);
}

Agreement::Answer Agreement::built(const Gone& gone) {
  auto& outcome = board_.round(round_).outcome;
  if (outcome.load(std::memory_order_acquire) == 0) {
    std::uint32_t verdict = 1;
    for (const int rank : members_) {
      const std::uint32_t built = board_.place(round_, rank).built.load(std::memory_order_acquire);
      if (built == 1) continue;
      if (built == 0 && !gone(rank)) return Answer::none;
      verdict = 2;
      break;
    }
    std::uint32_t nobody = 0;
    outcome.compare_exchange_strong(nobody, verdict, std::memory_order_acq_rel);
  }
  return outcome.load(std::memory_order_acquire) == 1 ? Answer::yes : Answer::no;
}

}  // namespace tutti::host
