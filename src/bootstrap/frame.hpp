/// @file  Frames: one request of a store's member and its reply, as bytes. A connection carries one request
/// at a time.
///
///     request: verb 1, zero 1, key length 2, value length 4, number 8; key; value
///     reply:   status 1, zeros 3, value length 4, number 8; value
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bootstrap/bytes.hpp"

namespace tutti::frame {

enum class Verb : std::uint8_t {
  set = 1,
  get = 2,
  wait = 3,  ///< number: milliseconds
  add = 4,   ///< number: what to add
  erase = 5,
  erase_prefix = 6,
};

enum class Status : std::uint8_t {
  done = 0,    ///< number: the count, for add, erase and erase_prefix; value: for get and wait
  absent = 1,  ///< get, and wait when its time is over
  failed = 2,  ///< number: the Code; value: its text
};

inline constexpr std::size_t header_bytes = 16;

struct Ask {
  Verb verb = Verb::get;
  std::string_view key{};
  ByteSpan value{};
  std::int64_t number = 0;
};

struct ReplyHeader {
  Status status = Status::done;
  std::uint32_t value_bytes = 0;
  std::int64_t number = 0;
};

std::vector<std::byte> encode(const Ask& ask);
std::vector<std::byte> encode(const ReplyHeader& header);  ///< the value follows, if any

/// How many bytes follow the header of a request; nothing when it is malformed or larger than a store allows.
std::optional<std::size_t> ask_rest(ByteSpan header);

/// A whole request, approved by ask_rest; a view of `all`.
Ask decode_ask(ByteSpan all);

/// The header of a reply; nothing when no server of ours would send it.
std::optional<ReplyHeader> decode_reply(ByteSpan header);

}  // namespace tutti::frame
