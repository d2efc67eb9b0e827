#include "tutti/bootstrap/rendezvous.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "bootstrap/bytes.hpp"
#include "bootstrap/handshake.hpp"
#include "bootstrap/ranges.hpp"
#include "bootstrap/reporter.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

using Clock = std::chrono::steady_clock;

// One meeting. Its keys in the store:
//
//     WHAT/came       how many ranks have come
//     WHAT/seat/R     how many processes say that they are rank R
//     WHAT/card/R     what rank R believes: size, version; and where it runs
//     WHAT/verdict    "" when all have come and agree; else why the meeting failed, for everybody
//     WHAT/left       how many have read the verdict; the last one clears the table
class Meeting {
 public:
  Meeting(const World& world, std::string_view what, Store::Deadline deadline)
      : world_(world), prefix_(std::string(what) + '/'), deadline_(deadline), reporter_(world.progress) {}

  void hold() {
    set_card();
    if (world_.rank != 0) compare(wait_for_rank_0());
    if (store().add(key("came"), 1) == world_.size) pass("");
    obey(wait_for_verdict());
    if (store().add(key("left"), 1) == world_.size) store().erase_prefix(prefix_);
  }

 private:
  Store& store() const { return *world_.store; }
  std::string key(std::string_view name) const { return prefix_ + std::string(name); }
  std::string card_key(int rank) const { return key(fmt::format("card/{}", rank)); }
  std::string card() const {
    return fmt::format("{}\n{}\n{} (pid {})", world_.size, handshake::library_version(), world_.host, ::getpid());
  }

  static std::string line(const std::string& card, int number) {
    std::size_t begin = 0;
    while (number-- > 0) begin = std::min(card.find('\n', begin), card.size() - 1) + 1;
    return printable(std::string_view(card).substr(begin, card.find('\n', begin) - begin));
  }

  void set_card() {
    if (store().add(key(fmt::format("seat/{}", world_.rank)), 1) > 1) {
      const auto other = store().get(card_key(world_.rank));
      fail(Code::mismatch, fmt::format("two processes say that they are rank {}: {} and {}", world_.rank,
                                       other ? line(text_of(*other), 2) : "another", line(card(), 2)));
    }
    store().set(card_key(world_.rank), card());
  }

  void compare(const std::string& theirs) {
    if (line(theirs, 0) != std::to_string(world_.size)) {
      fail(Code::mismatch, fmt::format("rank {} on {} was started as one of {} ranks, rank 0 on {} as one of {}",
                                       world_.rank, line(card(), 2), world_.size, line(theirs, 2), line(theirs, 0)));
    }
    if (line(theirs, 1) != handshake::library_version()) {
      fail(Code::mismatch,
           fmt::format("rank {} on {} runs tutti {}, rank 0 on {} runs tutti {}", world_.rank, line(card(), 2),
                       handshake::library_version(), line(theirs, 2), line(theirs, 1)));
    }
  }

  std::string wait_for_rank_0() {
    return wait(
        card_key(0), [this] { return missing({0}); }, true);
  }

  std::string wait_for_verdict() {
    return wait(
        key("verdict"), [this] { return missing(absent()); }, world_.rank == 0);
  }

  // Waits for a key, speaks up meanwhile, and at the deadline ends the meeting for everybody.
  template <class Line>
  std::string wait(const std::string& key, Line what_is_missing, bool speaks) {
    for (;;) {
      const auto until = speaks ? std::min(deadline_, reporter_.next()) : deadline_;
      if (const auto value = store().try_wait(key, until)) return text_of(*value);
      if (Clock::now() >= deadline_) {
        fail(Code::timeout,
             fmt::format("{} after {} s", what_is_missing(), std::max<long>(1, reporter_.waited().count())));
      }
      reporter_.maybe([&] {
        return fmt::format("tutti: rank {}: waiting for {} s: {}", world_.rank, reporter_.waited().count(),
                           what_is_missing());
      });
    }
  }

  std::vector<int> absent() {
    std::vector<int> ranks;
    for (int rank = 0; rank < world_.size; ++rank) {
      if (!store().get(card_key(rank))) ranks.push_back(rank);
    }
    return ranks;
  }

  std::string missing(const std::vector<int>& ranks) const {
    return fmt::format("{} of {} {} not come", name_ranks(ranks), world_.size, ranks.size() == 1 ? "has" : "have");
  }

  void pass(const std::string& verdict) { store().set(key("verdict"), verdict); }

  // The verdict of a failed meeting: the code's number, a space, the reason.
  [[noreturn]] void fail(Code code, const std::string& reason) {
    pass(fmt::format("{} {}", static_cast<int>(code), reason));
    raise(code, reason);
  }

  static void obey(const std::string& verdict) {
    if (verdict.empty()) return;
    int code = 0;
    std::from_chars(verdict.data(), verdict.data() + verdict.size(), code);
    raise(static_cast<Code>(code), verdict.substr(std::min(verdict.find(' '), verdict.size() - 1) + 1));
  }

  [[noreturn]] static void raise(Code code, const std::string& reason) {
    const char* remedy = code == Code::timeout
                             ? "see whether they were started and still run, or allow more time (TUTTI_TIMEOUT)"
                             : "start all ranks with one command, one size and one build of the program";
    throw Error(code, reason, {.operation = "meeting the other ranks", .remedy = remedy});
  }

  const World& world_;
  const std::string prefix_;
  const Store::Deadline deadline_;
  Reporter reporter_;
};

}  // namespace

void gather_ranks(const World& world, std::string_view what, Store::Deadline deadline) {
  expect(world.store != nullptr, Code::invalid_argument, "gather_ranks: the World has no store");
  if (world.size > 1) Meeting(world, what, deadline).hold();
}

}  // namespace tutti
