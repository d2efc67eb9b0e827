/// @file  Agreement: whoever is lost when, those that are left agree; played by a scheduler with a seed, on a clock of steps.
#include "run/host/agreement.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"

using namespace tutti::host;

namespace {

struct alignas(128) BoardLine {
  std::byte bytes[128];
};

/// Ranks that are played in turns of chance; some die, some stop for good, some stop for a while.
class Play {
 public:
  Play(unsigned seed, int ranks, int deaths, int stops)
      : random_(seed), memory_(AgreementBoard::bytes(ranks) / sizeof(BoardLine) + 1), deaths_(deaths), stops_(stops) {
    for (int rank = 0; rank < ranks; ++rank) {
      ranks_.push_back(std::make_unique<Rank>(AgreementBoard(memory_[0].bytes, ranks), rank));
    }
  }

  /// False when it does not come to an end.
  bool run() {
    for (int step = 0; step < 200'000; ++step) {
      ++now_;
      if (std::all_of(ranks_.begin(), ranks_.end(), [](const auto& each) { return each->is_over(); })) return true;
      Rank& rank = *ranks_[below(ranks_.size())];
      if (rank.dead || rank.stopped_until > now_ || rank.is_over()) continue;
      if (deaths_ > 0 && below(12) == 0) {
        --deaths_;
        rank.dead = true;
      } else if (stops_ > 0 && below(12) == 0) {
        --stops_;
        rank.stopped_until = now_ + static_cast<long>(below(4'000));
      } else {
        advance(rank);
      }
    }
    return false;
  }

  struct Rank {
    Rank(AgreementBoard board, int number) : agreement(board, number) {}
    enum class At { outside, joining, building, built, in, left_out, too_many };
    bool is_over() const { return dead || at == At::in || at == At::left_out || at == At::too_many; }
    Agreement agreement;
    At at = At::outside;
    long deadline = 0;
    long stopped_until = 0;
    bool dead = false;
  };
  const std::vector<std::unique_ptr<Rank>>& ranks() const { return ranks_; }

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

  void advance(Rank& rank) {
    const auto gone = [&](int other) { return ranks_[static_cast<std::size_t>(other)]->dead; };
    const bool late = now_ >= rank.deadline;
    using At = Rank::At;
    switch (rank.at) {
      case At::outside:
        rank.at = rank.agreement.join() ? At::joining : At::too_many;
        rank.deadline = now_ + 2'000;
        return;
      case At::joining: {
        const auto answer = rank.agreement.decided(gone, late);
        if (answer == Agreement::Answer::none) return;
        rank.at = answer == Agreement::Answer::yes ? At::building : At::left_out;
        rank.deadline = now_ + 2'000;
        return;
      }
      case At::building:  // needs all members, as what is built is theirs together
        if (std::none_of(rank.agreement.members().begin(), rank.agreement.members().end(), gone) && below(20) != 0) {
          rank.agreement.set_built(true);
        } else if (late || below(20) == 0) {
          rank.agreement.set_built(false);
        } else {
          return;
        }
        rank.at = At::built;
        return;
      case At::built: {
        const auto answer = rank.agreement.built([&](int other) { return late || gone(other); });
        if (answer == Agreement::Answer::none) return;
        rank.at = answer == Agreement::Answer::yes ? At::in : At::outside;
        return;
      }
      default:
        return;
    }
  }

  std::mt19937 random_;
  std::vector<BoardLine> memory_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  long now_ = 0;
  int deaths_;
  int stops_;
};

/// What is wrong at the end; empty: nothing.
std::string fault(const Play& play) {
  const Play::Rank* first = nullptr;
  for (const auto& rank : play.ranks()) {
    if (rank->dead || rank->at != Play::Rank::At::in) continue;
    if (first == nullptr) first = rank.get();
    if (rank->agreement.round() != first->agreement.round()) return "two rounds came to be";
    if (rank->agreement.members() != first->agreement.members()) return "two sets of members";
  }
  for (std::size_t number = 0; number < play.ranks().size(); ++number) {
    const Play::Rank& rank = *play.ranks()[number];
    if (first == nullptr || rank.dead) continue;
    const auto& members = first->agreement.members();
    const bool member = std::find(members.begin(), members.end(), static_cast<int>(number)) != members.end();
    if (member != (rank.at == Play::Rank::At::in)) return "a rank that lives is neither in nor left out";
  }
  return {};
}

}  // namespace

TEST_CASE("whoever dies when, the ranks that are left agree on the same members, and come to an end") {
  for (unsigned seed = 0; seed < 4'000; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 7);
    Play play(seed, ranks, static_cast<int>(seed / 7 % 4), 0);
    INFO("seed " << seed << ", " << ranks << " ranks");
    REQUIRE(play.run());
    REQUIRE(fault(play).empty());
    for (const auto& rank : play.ranks()) {
      // Nobody who lives is left out; failures to build are repeated, some at most.
      REQUIRE((rank->dead || rank->at == Play::Rank::At::in || rank->at == Play::Rank::At::too_many));
    }
  }
}

TEST_CASE("ranks that stop for longer than the others wait are left out by all, and learn it when they come back") {
  int left_out = 0;
  for (unsigned seed = 0; seed < 3'000; ++seed) {
    Play play(seed, 2 + static_cast<int>(seed % 7), static_cast<int>(seed / 7 % 3),
              1 + static_cast<int>(seed / 21 % 2));
    INFO("seed " << seed);
    REQUIRE(play.run());
    REQUIRE(fault(play).empty());
    for (const auto& rank : play.ranks()) left_out += !rank->dead && rank->at == Play::Rank::At::left_out ? 1 : 0;
  }
  CHECK(left_out > 0);
}

TEST_CASE("an agreement among one, and one that everybody joins at once, needs one round") {
  for (const int ranks : {1, 3, 70}) {
    std::vector<BoardLine> memory(AgreementBoard::bytes(ranks) / sizeof(BoardLine) + 1);
    const AgreementBoard board(memory[0].bytes, ranks);
    const auto nobody = [](int) { return false; };
    std::vector<Agreement> all;
    for (int rank = 0; rank < ranks; ++rank) all.emplace_back(board, rank);
    for (Agreement& each : all) CHECK(each.join());
    all.front().set_name("here");
    for (Agreement& each : all) {
      CHECK(each.decided(nobody, false) == Agreement::Answer::yes);
      CHECK(each.members().size() == static_cast<std::size_t>(ranks));
      CHECK(each.name() == "here");
      each.set_built(true);
    }
    for (Agreement& each : all) CHECK(each.built(nobody) == Agreement::Answer::yes);
  }
}
