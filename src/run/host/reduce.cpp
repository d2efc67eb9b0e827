#include "run/host/reduce.hpp"

#include <array>
#include <atomic>

#include "run/host/reduce_table.hpp"

namespace tutti::host {

namespace {

constexpr std::array<const Loops* (*)() noexcept, data_type_count> tables{
    &int8_loops,        &uint8_loops,       &int16_loops,   &uint16_loops,  &int32_loops,
    &uint32_loops,      &int64_loops,       &uint64_loops,  &float16_loops, &bfloat16_loops,
    &float8_e4m3_loops, &float8_e5m2_loops, &float32_loops, &float64_loops, nullptr,
};
static_assert(static_cast<int>(DataType::user) == data_type_count - 1);

/// What the tables gave, once asked: asking costs a dispatch.
std::array<std::atomic<const Loops*>, data_type_count> known{};

}  // namespace

void forget_loops() noexcept {
  for (auto& loops : known) loops.store(nullptr, std::memory_order_relaxed);
}

Loop loop_for(DataType type, const ReduceOp& op) noexcept {
  if (op.kind == Op::user) return op.loop;
  const auto row = static_cast<std::size_t>(type);
  const auto column = static_cast<std::size_t>(op.kind);
  if (row >= static_cast<std::size_t>(DataType::user) || column >= op_count) return nullptr;
  const Loops* loops = known[row].load(std::memory_order_relaxed);  // to constants: nothing else to see
  if (loops == nullptr) [[unlikely]] {
    loops = tables[row]();
    known[row].store(loops, std::memory_order_relaxed);
  }
  return loops->by_op[column];
}

const char* unsupported(DataType type, const ReduceOp& op) noexcept {
  if (loop_for(type, op) != nullptr) return nullptr;
  switch (op.kind) {
    case Op::user:
      return "the user's operator has no loop for the host";
    case Op::none:
      return "no operator was given";
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
      if (is_float(type)) return "bitwise operators combine integers, not floats";
      break;
    default:
      break;
  }
  return type == DataType::user ? "the ready-made operators combine numbers, not elements of a user's type"
                                : "no such type or operator";
}

}  // namespace tutti::host
