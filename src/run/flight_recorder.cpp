#include "run/flight_recorder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <exception>
#include <numeric>

#include "run/flight_read.hpp"

namespace tutti {

namespace {

template <std::size_t Size>
void put(char (&field)[Size], const std::string& text) {
  text.copy(field, Size - 1);
}

std::uint64_t process_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

constexpr std::uint16_t no_index = 0xffff;

}  // namespace

std::string flight_file_name(int rank, std::uint64_t family) { return fmt::format("rank-{}-{:016x}", rank, family); }

FlightRecorder::FlightRecorder(const World& world, std::uint64_t family, const std::string& directory)
    : memory_(flight::total_bytes,
              // Threads of a process end together: a file for each would be made and removed for little.
              directory.empty() && world.one_process ? flight_memory_only : directory, world.job,
              flight_file_name(world.rank, family), world.progress.say),
      header_(reinterpret_cast<flight::Header*>(memory_.data())),
      memberships_(reinterpret_cast<flight::Membership*>(memory_.data() + flight::memberships_offset)),
      slots_(reinterpret_cast<Slot*>(memory_.data() + flight::slots_offset)),
      keep_(!directory.empty()) {
  const TickPair first = TickPair::first();
  header_->version = flight::version;
  header_->bytes = flight::total_bytes;
  header_->family = family;
  header_->rank = world.rank;
  header_->size = world.size;
  header_->process = ::getpid();
  header_->pid_namespace = process_namespace();
  header_->first_ticks = first.ticks;
  header_->first_ns = first.ns;
  header_->began = static_cast<std::uint64_t>(std::time(nullptr));
  put(header_->host, world.host);
  put(header_->host_id, world.host_id);
  put(header_->job, world.job);
  put(header_->library, TUTTI_VERSION);
  note_clock();
  header_->magic = flight::magic;
}

FlightRecorder::~FlightRecorder() {
  if (header_->process != ::getpid()) return;  // forked: the rank stayed in the parent
  note_clock();
  const bool thrown = std::uncaught_exceptions() != 0;
  header_->finished.store(thrown ? 0 : 1, std::memory_order_release);
  if (!keep_ && (!thrown || number_ == 0)) memory_.remove_file();
}

std::uint16_t FlightRecorder::join(std::uint64_t id, std::uint64_t parent, int rank, int size) noexcept {
  std::uint32_t index = header_->memberships;
  if (index == flight::most_communicators) {  // the place of one that is gone, whose calls are as good as forgotten
    auto* const end = memberships_ + index;
    const auto* oldest = std::min_element(memberships_, end, [](const auto& a, const auto& b) {
      return a.gone > b.gone || (a.gone == b.gone && a.after < b.after);
    });
    if (oldest->gone == 0) return no_index;
    index = static_cast<std::uint32_t>(oldest - memberships_);
  } else {
    ++header_->memberships;
  }
  flight::Membership& place = memberships_[index];
  place.after.store(number_, std::memory_order_release);
  place.id.store(id, std::memory_order_release);
  place.parent.store(parent, std::memory_order_release);
  place.rank.store(rank, std::memory_order_release);
  place.size.store(size, std::memory_order_release);
  place.gone.store(0, std::memory_order_release);
  return static_cast<std::uint16_t>(index);
}

void FlightRecorder::leave(std::uint16_t index) noexcept {
  if (index == no_index || header_->process != ::getpid()) return;  // forked: see the destructor
  memberships_[index].gone.store(1, std::memory_order_release);
}

std::uint64_t FlightRecorder::total(std::span<const std::size_t> counts) noexcept {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void FlightRecorder::start(const Entry& entry) noexcept {
  if (!still_there(entry)) return;
  entry.slot->word[5].store(Ticks::now(), std::memory_order_relaxed);
  entry.slot->word[7].store(entry.number << 16 | static_cast<std::uint64_t>(CallState::running),
                            std::memory_order_release);
}

void FlightRecorder::waits(Entry& entry, const Waiting& waiting) noexcept {
  if (!still_there(entry)) return;
  entry.note_end = true;
  const auto set = [&](int word, std::uint64_t value) {
    entry.slot->word[word].store(value, std::memory_order_release);
  };
  set(9, Ticks::now());
  set(10, static_cast<std::uint32_t>(waiting.awaited) | std::uint64_t{waiting.step} << 32);
  set(11, waiting.steps | std::uint64_t{waiting.lane & 0xff} << 32 | std::uint64_t{waiting.flags} << 40);
  set(12, waiting.chunk | std::uint64_t{waiting.chunks} << 32);
  set(8, entry.number);
  if (waiting.queued) {
    set(5, 0);
    set(7, entry.number << 16 | static_cast<std::uint64_t>(CallState::queued));
  }
  note_clock();
}

void FlightRecorder::failed(const Entry& entry, Code code) noexcept {
  keep_ = true;
  end(entry, static_cast<std::uint64_t>(CallState::failed) | static_cast<std::uint64_t>(code) << 8, true);
  note_clock();
}

std::vector<CallRecord> FlightRecorder::recent(std::uint64_t since) const {
  std::vector<CallRecord> records;
  const TickPair first{header_->first_ticks, header_->first_ns};
  const TickPair last = TickPair::now();
  for (std::size_t i = 0; i < recorded_calls; ++i) {
    if (slots_[i].word[7].load(std::memory_order_relaxed) >> 16 <= since) continue;
    const auto record = flight::read(slots_[i], {memberships_, flight::most_communicators}, first, last);
    if (record) records.push_back(*record);
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return records;
}

void FlightRecorder::observe(CallObserver* observer) noexcept {
  observer_ = observer;
  end_mask_ = observer != nullptr ? 0 : 7;
  plain_mask_ = observer != nullptr ? 0 : recorded_calls - 1;
}

void FlightRecorder::entered(const Slot& slot, std::uint64_t number) noexcept {
  if (number % recorded_calls == 0) note_clock();
  if (observer_ == nullptr) return;
  if (const auto record = read(slot)) observer_->entered(*record);
}

/// Against the clock as it is now: ticks of long ago tell little of those that are just over.
std::optional<CallRecord> FlightRecorder::read(const Slot& slot) const noexcept {
  return flight::read(slot, {memberships_, flight::most_communicators}, {header_->first_ticks, header_->first_ns},
                      TickPair::now());
}

void FlightRecorder::tell(const Slot& slot) noexcept {
  if (const auto record = read(slot)) observer_->ended(*record);
}

void FlightRecorder::note_clock() noexcept {
  const TickPair now = TickPair::now();
  header_->last_ticks.store(now.ticks, std::memory_order_relaxed);
  header_->last_ns.store(now.ns, std::memory_order_relaxed);
}

}  // namespace tutti
