/// @file  What an outsider's first program may look like.
#include <cstdio>

#include "tutti/base/units.hpp"

int main() {
  const auto bytes = tutti::parse_bytes("4M");
  std::printf("%zu bytes are %s\n", bytes, tutti::format_bytes(bytes).c_str());
  return bytes == 4194304 ? 0 : 1;
}
