/// @file  What a fuzz target makes of its bytes: text, and calls that may be refused with an Error but nothing worse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "bootstrap/bytes.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline ByteSpan bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

/// Stops the run: what `holds` must be true of every input.
inline void expect(bool holds, const char* what, const std::string& seen = {}) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n%s\n", what, seen.c_str());
  std::abort();
}

/// Any other exception ends the run.
template <class Call>
void may_refuse(const Call& call) {
  try {
    call();
  } catch (const Error&) {  // that is an answer
  }
}

/// What a reader of the text "input" makes of it; nothing when it refuses it as readers must: by its place, in a message
/// that a terminal can show.
template <class Read>
auto read_or_refused(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    const std::string& why = error.reason();
    expect(error.code() == Code::invalid_argument, "a text is refused as an invalid argument", error.what());
    expect(why.starts_with("input"), "a refusal names the file first", why);
    expect(why.size() < 4096, "a refusal is short", why);
    expect(first_invalid_utf8(why) == std::string::npos, "a refusal is UTF-8", why);
    expect(shown(why, why.size()) == why, "a refusal has no control characters", why);
    return std::nullopt;
  }
}

}  // namespace tutti::fuzz
