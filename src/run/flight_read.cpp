#include "run/flight_read.hpp"

#include <array>

namespace tutti::flight {

namespace {

constexpr int last_collective = collective_count - 1;
constexpr int last_type = data_type_count - 1;
constexpr int last_algorithm = algorithm_count - 1;
constexpr int last_protocol = static_cast<int>(Protocol::window);
constexpr int last_backend = static_cast<int>(Backend::simulated);
constexpr int last_op = static_cast<int>(Op::user);
constexpr int last_code = static_cast<int>(Code::internal);

int byte_of(std::uint64_t word, int place) { return static_cast<int>(word >> (8 * place) & 0xff); }

void read_wait(CallRecord& record, const std::array<std::uint64_t, 16>& word, const TickPair& first,
               const TickPair& last) {
  if (word[8] != record.number) return;  // of a call that was here before
  record.looked = nanoseconds(word[9], first, last);
  record.awaited = static_cast<std::int32_t>(word[10] & 0xffffffffU);
  record.step = static_cast<std::uint32_t>(word[10] >> 32);
  record.steps = static_cast<std::uint32_t>(word[11] & 0xffffffffU);
  record.lane = static_cast<std::uint32_t>(byte_of(word[11], 4));
  const int flags = byte_of(word[11], 5);
  record.for_room = (flags & for_room) != 0;
  record.at_barrier = (flags & at_barrier) != 0;
  record.with_network = (flags & with_network) != 0;
  record.comparing = (flags & comparing) != 0;
  record.chunk = static_cast<std::uint32_t>(word[12] & 0xffffffffU);
  record.chunks = static_cast<std::uint32_t>(word[12] >> 32);
  if (record.awaited < -1 || record.awaited >= record.size) record.awaited = -1;
}

}  // namespace

std::optional<CallRecord> read(const Slot& slot, std::span<const Membership> memberships, const TickPair& first,
                               const TickPair& last) {
  std::array<std::uint64_t, 16> word{};
  word[7] = slot.word[7].load(std::memory_order_acquire);
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (i != 7) word[i] = slot.word[i].load(std::memory_order_acquire);
  }
  const std::uint64_t after = slot.word[7].load(std::memory_order_relaxed);
  if (word[7] == 0 || after >> 16 != word[7] >> 16) return std::nullopt;

  const int state = byte_of(word[7], 0);
  const int kinds[] = {byte_of(word[2], 0), byte_of(word[2], 1), byte_of(word[2], 2),
                       byte_of(word[2], 3), byte_of(word[2], 4), byte_of(word[2], 5)};
  const int most[] = {last_collective, last_type, last_op, last_backend, last_algorithm, last_protocol};
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    if (kinds[i] > most[i]) return std::nullopt;
  }
  if (state < static_cast<int>(CallState::queued) || state > static_cast<int>(CallState::failed)) return std::nullopt;
  if (byte_of(word[7], 1) > last_code) return std::nullopt;

  CallRecord record;
  record.number = word[7] >> 16;
  record.turn = word[0];
  record.count = word[1];
  record.collective = static_cast<Collective>(kinds[0]);
  record.type = static_cast<DataType>(kinds[1]);
  record.op = static_cast<Op>(kinds[2]);
  record.engine = static_cast<Backend>(kinds[3]);
  record.algorithm = static_cast<Algorithm>(kinds[4]);
  record.protocol = static_cast<Protocol>(kinds[5]);
  const bool rooted = has_root(record.collective) || is_pairwise(record.collective);
  record.root = rooted ? static_cast<std::int32_t>(word[3] & 0xffffffffU) : -1;
  record.element_size = static_cast<std::uint32_t>(byte_of(word[3], 6));
  record.in_place = (byte_of(word[3], 7) & in_place) != 0;
  record.deterministic = (byte_of(word[3], 7) & deterministic) != 0;
  if (const std::size_t index = word[3] >> 32 & 0xffff; index < memberships.size()) {
    const Membership& membership = memberships[index];
    const std::uint64_t id = membership.id.load(std::memory_order_acquire);
    const std::int32_t rank = membership.rank.load(std::memory_order_acquire);
    const std::int32_t size = membership.size.load(std::memory_order_acquire);
    if (record.number > membership.after.load(std::memory_order_acquire)) {
      record.communicator = id;
      record.rank = rank;
      record.size = size;
    }
  }
  record.state = static_cast<CallState>(state);
  record.code = static_cast<Code>(byte_of(word[7], 1));
  record.entered = nanoseconds(word[4], first, last);
  record.started = nanoseconds(word[5], first, last);
  if (record.ended_already()) record.ended = nanoseconds(word[6], first, last);
  read_wait(record, word, first, last);
  return record;
}

}  // namespace tutti::flight
