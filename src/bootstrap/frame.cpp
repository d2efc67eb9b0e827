#include "bootstrap/frame.hpp"

#include "tutti/bootstrap/store.hpp"

namespace tutti::frame {

std::vector<std::byte> encode(const Ask& ask) {
  return ByteWriter()
      .u8(static_cast<std::uint8_t>(ask.verb))
      .u8(0)
      .u16(static_cast<std::uint16_t>(ask.key.size()))
      .u32(static_cast<std::uint32_t>(ask.value.size()))
      .u64(static_cast<std::uint64_t>(ask.number))
      .bytes(bytes_of(ask.key))
      .bytes(ask.value)
      .take();
}

std::vector<std::byte> encode(const ReplyHeader& header) {
  return ByteWriter()
      .u8(static_cast<std::uint8_t>(header.status))
      .u8(0)
      .u16(0)
      .u32(header.value_bytes)
      .u64(static_cast<std::uint64_t>(header.number))
      .take();
}

std::optional<std::size_t> ask_rest(ByteSpan header) {
  ByteReader reader(header);
  const auto verb = reader.u8();
  const auto zero = reader.u8();
  const std::size_t key = reader.u16();
  const std::size_t value = reader.u32();
  if (verb < static_cast<int>(Verb::set) || verb > static_cast<int>(Verb::erase_prefix) || zero != 0) return {};
  if (key < 1 || key > Store::max_key || value > Store::max_value) return {};
  if (value != 0 && verb != static_cast<int>(Verb::set)) return {};
  return key + value;
}

Ask decode_ask(ByteSpan all) {
  ByteReader reader(all);
  Ask ask;
  ask.verb = static_cast<Verb>(reader.u8());
  reader.u8();
  const std::size_t key = reader.u16();
  const std::size_t value = reader.u32();
  ask.number = static_cast<std::int64_t>(reader.u64());
  const auto text = reader.bytes(key);
  ask.key = {reinterpret_cast<const char*>(text.data()), text.size()};
  ask.value = reader.bytes(value);
  return ask;
}

std::optional<ReplyHeader> decode_reply(ByteSpan header) {
  ByteReader reader(header);
  const auto status = reader.u8();
  ReplyHeader reply;
  reply.status = static_cast<Status>(status);
  const bool zeros = reader.u8() == 0 && reader.u16() == 0;
  reply.value_bytes = reader.u32();
  reply.number = static_cast<std::int64_t>(reader.u64());
  if (!zeros || status > static_cast<int>(Status::failed) || reply.value_bytes > Store::max_value) return {};
  return reply;
}

}  // namespace tutti::frame
