/// @file  What a fuzz target makes of its bytes: text, and calls that may be refused with an Error but nothing worse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bootstrap/bytes.hpp"
#include "tutti/base/error.hpp"

namespace tutti::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline ByteSpan bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

/// Stops the run: what `holds` must be true of every input.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", what);
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

}  // namespace tutti::fuzz
