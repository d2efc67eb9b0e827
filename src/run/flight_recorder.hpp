/// @file  FlightRecorder: the last calls of one rank, noted as they happen, in memory that may be a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/flight_layout.hpp"
#include "run/flight_memory.hpp"
#include "run/ticks.hpp"
#include "tutti/base/request.hpp"
#include "tutti/bootstrap/world.hpp"
#include "tutti/choose/decision.hpp"
#include "tutti/run/call_record.hpp"

namespace tutti {

/// Of the file of a rank, in the folder of its job.
std::string flight_file_name(int rank, std::uint64_t family);

/// What a call that has waited for long is waiting for; the members are those of CallRecord.
struct Waiting {
  bool queued = false;
  int awaited = -1;
  std::uint32_t step = 0;
  std::uint32_t steps = 0;
  std::uint32_t lane = 0;
  std::uint32_t chunk = 0;
  std::uint32_t chunks = 0;
  std::uint8_t flags = 0;  ///< flight::for_room, …
};

/// One for a communicator and all that are made from it. Its users take turns; `recent` may be called by any thread at
/// any time.
class FlightRecorder {
 public:
  /// `world` and `family` name the rank and the first communicator. `directory`: see Config::flight_recorder. Where no
  /// file can be had, it says so once through `world.progress` and keeps the calls in memory only.
  FlightRecorder(const World& world, std::uint64_t family, const std::string& directory);
  ~FlightRecorder();  ///< with its file, unless a call has failed or the directory was named
  FlightRecorder(const FlightRecorder&) = delete;
  FlightRecorder& operator=(const FlightRecorder&) = delete;

  using Slot = flight::Slot;
  /// A call that is under way.
  struct Entry {
    Slot* slot = nullptr;  ///< which a later call may have taken over: `number` tells
    std::uint64_t number = 0;
    bool note_end = false;
  };

  // ---- communicators come and go ----
  /// Where its calls are noted under.
  std::uint16_t join(std::uint64_t id, std::uint64_t parent, int rank, int size) noexcept;
  void leave(std::uint16_t index) noexcept;

  // ---- a call ----
  /// It is made. What is noted costs some nanoseconds, most of them for the clock.
  Entry enter(const Request& request, const Decision& decision, std::uint64_t turn, std::uint16_t index) noexcept {
    const std::uint64_t number = ++number_;
    Slot& slot = slots_[number % recorded_calls];
    // A reader that sees one of these words sees, too, that the last one is not what it was.
    const auto set = [&slot](int word, std::uint64_t value) {
      slot.word[word].store(value, std::memory_order_release);
    };
    const auto byte = [](auto value, int place) { return static_cast<std::uint64_t>(value) << (8 * place); };
    const std::uint64_t flags = (request.in == request.out ? flight::in_place : 0U) |
                                (request.options.deterministic ? flight::deterministic : 0U);
    std::uint64_t count = request.count;
    if (!request.counts.empty()) [[unlikely]]
      count = total(request.counts);
    const std::uint64_t now = Ticks::now();
    slot.word[7].store(0, std::memory_order_relaxed);
    set(0, turn);
    set(1, count);
    set(2, byte(request.collective, 0) | byte(request.type, 1) | byte(request.op.kind, 2) | byte(decision.backend, 3) |
               byte(decision.algorithm, 4) | byte(decision.protocol, 5));
    set(3, static_cast<std::uint32_t>(request.root) | std::uint64_t{index} << 32 | byte(request.element_size, 6) |
               byte(flags, 7));
    set(4, now);
    set(5, now);
    set(6, 0);
    set(7, number << 16 | static_cast<std::uint64_t>(CallState::running));
    if ((number & plain_mask_) == 0) [[unlikely]]
      entered(slot, number);
    return {&slot, number, count * request.element_size >= small_bytes || (number & end_mask_) == 0};
  }
  /// It had to wait for its turn, which has come.
  void start(const Entry& entry) noexcept;
  /// It has waited for long; from now on its end is noted.
  void waits(Entry& entry, const Waiting& waiting) noexcept;
  void done(const Entry& entry) noexcept { end(entry, static_cast<std::uint64_t>(CallState::done), entry.note_end); }
  void failed(const Entry& entry, Code code) noexcept;

  // ---- what is there ----
  /// The calls with a number beyond `since`, oldest first: at most the last `recorded_calls`.
  std::vector<CallRecord> recent(std::uint64_t since = 0) const;
  /// From now on, `observer` is told of every call; null: nobody is. Under the progress loop's guard.
  void observe(CallObserver* observer) noexcept;
  /// The file, for messages; empty: there is none.
  const std::string& file() const noexcept { return memory_.file(); }

 private:
  static constexpr std::uint64_t small_bytes = 4096;

  static std::uint64_t total(std::span<const std::size_t> counts) noexcept;
  static bool still_there(const Entry& entry) noexcept {
    return entry.slot->word[7].load(std::memory_order_relaxed) >> 16 == entry.number;
  }
  void end(const Entry& entry, std::uint64_t state, bool note_time) noexcept {
    if (!still_there(entry)) [[unlikely]] {
      if (observer_ != nullptr) observer_->missed(entry.number);
      return;
    }
    if (note_time) entry.slot->word[6].store(Ticks::now(), std::memory_order_relaxed);
    entry.slot->word[7].store(entry.number << 16 | state, std::memory_order_release);
    if (observer_ != nullptr) [[unlikely]]
      tell(*entry.slot);
  }
  void entered(const Slot& slot, std::uint64_t number) noexcept;
  std::optional<CallRecord> read(const Slot& slot) const noexcept;
  void tell(const Slot& slot) noexcept;
  void note_clock() noexcept;

  FlightMemory memory_;
  flight::Header* header_;
  flight::Membership* memberships_;
  Slot* slots_;
  std::uint64_t number_ = 0;
  std::uint64_t end_mask_ = 7;
  std::uint64_t plain_mask_ =
      recorded_calls - 1;  ///< numbers of calls that nothing more is done for have some of these bits
  bool keep_ = false;      ///< the file is wanted after this
  CallObserver* observer_ = nullptr;
};

}  // namespace tutti
