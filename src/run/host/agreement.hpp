/// @file  Agreement: the ranks of a host that are left decide, in shared memory, who goes on; and whether that came to be.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::host {

/// What is shared. Zeroed memory is a valid board on which nothing has happened.
///
/// A round: every rank joins; who sees that everybody has joined or is gone puts forward those who joined; the first
/// proposal counts. They build what they want to have. Who sees that all of them have says so; who sees that one of them is
/// gone before it had, or could not, says no; the first word counts. After a no comes another round, among those of this one.
///
/// Each word is written by compare-and-exchange from 0 or by one rank only, so that all who look see the same, whoever dies
/// when. A rank must die in a round for there to be another: `rounds` deaths during one recovery are too many.
class AgreementBoard {
 public:
  static constexpr int rounds = 12;
  static std::size_t bytes(int ranks) { return rounds * stride(ranks); }
  AgreementBoard(std::byte* memory, int ranks) : memory_(memory), ranks_(ranks) {}

  int ranks() const { return ranks_; }

  struct alignas(128) Round {
    std::atomic<std::uint32_t> decided;  ///< 1 + the rank whose proposal counts
    std::atomic<std::uint32_t> outcome;  ///< 1: it came to be; 2: it did not
    std::atomic<std::uint32_t> named;    ///< 1: `name` is there
    char name[112];                      ///< where the others find the first of them
  };
  struct Place {
    std::atomic<std::uint32_t> joined;  ///< 1: yes
    std::atomic<std::uint32_t> built;   ///< 1: yes; 2: it could not
  };

  Round& round(int number) const { return *reinterpret_cast<Round*>(at(number)); }
  Place& place(int number, int rank) const { return reinterpret_cast<Place*>(at(number) + sizeof(Round))[rank]; }
  /// The bits of a rank's proposal: written by that rank before it is put forward.
  std::atomic<std::uint64_t>* proposal(int number, int rank) const {
    const std::size_t places = sizeof(Round) + static_cast<std::size_t>(ranks_) * sizeof(Place);
    return reinterpret_cast<std::atomic<std::uint64_t>*>(at(number) + places) +
           static_cast<std::size_t>(rank) * words(ranks_);
  }

 private:
  static constexpr std::size_t words(int ranks) { return (static_cast<std::size_t>(ranks) + 63) / 64; }
  static constexpr std::size_t stride(int ranks) {
    const std::size_t each = sizeof(Place) + words(ranks) * sizeof(std::uint64_t);
    return (sizeof(Round) + static_cast<std::size_t>(ranks) * each + 127) / 128 * 128;
  }
  std::byte* at(int number) const { return memory_ + static_cast<std::size_t>(number) * stride(ranks_); }

  std::byte* memory_;
  int ranks_;
};

/// One rank's part in it. Never blocks: each question is asked again until it has an answer.
class Agreement {
 public:
  /// Is this rank known to be gone for good? It is asked only of ranks that have not done what is waited for.
  using Gone = std::function<bool(int rank)>;

  Agreement(AgreementBoard board, int rank);

  /// Takes part in the next round. False: there were too many.
  bool join();
  int round() const { return round_; }

  enum class Answer : std::uint8_t { none, yes, no };
  /// Who goes on is decided; `members` says who. `no`: this rank is not among them, as the others had waited for long.
  /// `late`: wait no longer for ranks that have not joined.
  Answer decided(const Gone& gone, bool late);
  const std::vector<int>& members() const { return members_; }
  /// Ranks that are waited for, for messages.
  std::vector<int> missing() const;

  /// The first of the members says where it is found; the others read it when it is there.
  void set_name(std::string_view name);
  /// Empty: not there yet.
  std::string name() const;

  /// This rank has, or has not, built what it needs.
  void set_built(bool well);
  /// `yes`: all members have, and go on. `no`: join the next round.
  Answer built(const Gone& gone);

 private:
  AgreementBoard board_;
  int rank_;
  int round_ = -1;
  std::vector<int> candidates_;  ///< of this round
  std::vector<int> members_;
};

}  // namespace tutti::host
