/// @file  Copies, and what the look-up says of pairs that make no sense.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run/host/copy.hpp"
#include "run/host/reduce.hpp"
#include "run/host/reduce_targets.hpp"

using namespace tutti;

namespace {

using Byte = unsigned char;

struct AlignedFree {
  void operator()(Byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }
};

struct AbsMax {
  float operator()(float a, float b) const { return a * a > b * b ? a : b; }
};

}  // namespace

TEST_CASE("copies reach every destination whole and nothing beside it", "[reduce]") {
  constexpr std::size_t most = 20000;
  constexpr std::size_t room = most + 256;
  std::mt19937 random(5);
  std::unique_ptr<Byte[], AlignedFree> memory(static_cast<Byte*>(::operator new (4 * room, std::align_val_t{64})));
  std::vector<Byte> expected(4 * room);
  for (int set = 0; set < host::instruction_set_count(); ++set) {
    INFO("instruction set " << host::use_instruction_set(set));
    for (int trial = 0; trial < 2000; ++trial) {
      const std::size_t bytes = trial < 600 ? static_cast<std::size_t>(trial) : random() % most;
      const int count = 1 + trial % 3;
      const std::uint32_t streaming = random() % 8;
      for (std::size_t i = 0; i < 4 * room; ++i) memory[i] = expected[i] = static_cast<Byte>(i * 31 + i / 253);
      const std::size_t from = 64 + random() % 64;
      void* to[3] = {};
      for (int d = 0; d < count; ++d) {
        std::size_t at = static_cast<std::size_t>(d + 1) * room + 64 + random() % 64;
        if (d == trial % 7) at = from;  // in place
        to[d] = memory.get() + at;
        std::memmove(expected.data() + at, expected.data() + from, bytes);
      }
      host::copy(memory.get() + from, to, count, bytes, streaming);
      if (std::memcmp(memory.get(), expected.data(), 4 * room) != 0)
        FAIL(bytes << " bytes to " << count << " destinations, streaming " << streaming);
    }
  }
  host::use_instruction_set(-1);
}

TEST_CASE("a copy is whole wherever source and destination begin in their pages", "[reduce]") {
  constexpr std::size_t most = 8192;
  std::vector<Byte> source(most + 4096), expected(most + 3 * 4096), found;
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<Byte>(i * 31 + i / 253);
  for (const std::size_t bytes : {1024U, 1025U, 2048U, 2111U, 8192U}) {
    for (std::size_t shift = 0; shift < 4096; shift += shift < 130 || shift > 3960 ? 1 : 61) {
      found.assign(expected.size(), 7);
      const auto page = [](const Byte* place) { return reinterpret_cast<std::uintptr_t>(place) % 4096; };
      const std::size_t at = (page(source.data() + 5) + shift - page(found.data())) % 4096;
      host::copy(source.data() + 5, found.data() + at, bytes);
      expected.assign(expected.size(), 7);
      std::copy_n(source.data() + 5, bytes, expected.data() + at);
      if (found != expected) FAIL(bytes << " bytes, " << shift << " further in its page");
    }
  }
}

TEST_CASE("the look-up explains why there is no loop", "[reduce]") {
  ReduceOp op;
  const auto why = [&](DataType type, Op kind) {
    op.kind = kind;
    const char* reason = host::unsupported(type, op);
    CHECK((reason == nullptr) == (host::loop_for(type, op) != nullptr));
    return std::string(reason == nullptr ? "" : reason);
  };
  CHECK(why(DataType::float32, Op::bitwise_or) == "bitwise operators combine integers, not floats");
  CHECK(why(DataType::float8_e4m3, Op::bitwise_and) == "bitwise operators combine integers, not floats");
  CHECK(why(DataType::user, Op::sum) == "the ready-made operators combine numbers, not elements of a user's type");
  CHECK(why(DataType::int8, Op::none) == "no operator was given");
  CHECK(why(DataType::int8, Op::user) == "the user's operator has no loop for the host");
  CHECK(why(static_cast<DataType>(77), Op::sum) == "no such type or operator");
  CHECK(why(DataType::int8, static_cast<Op>(77)) == "no such type or operator");
  for (int type = 0; type < static_cast<int>(DataType::user); ++type) {
    for (int kind = static_cast<int>(Op::sum); kind <= static_cast<int>(Op::bitwise_xor); ++kind) {
      const bool bitwise = kind >= static_cast<int>(Op::bitwise_and);
      const std::string reason = why(static_cast<DataType>(type), static_cast<Op>(kind));
      CHECK(reason.empty() == !(bitwise && is_float(static_cast<DataType>(type))));
    }
  }
}

TEST_CASE("a user's operator is its own loop", "[reduce]") {
  const ReduceOp op = pack<float>(AbsMax{});
  CHECK(host::loop_for(DataType::float32, op) == op.loop);
  CHECK(host::unsupported(DataType::user, op) == nullptr);
}
