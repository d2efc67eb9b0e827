#include "tutti/base/reduce_op.hpp"

#include <array>
#include <utility>

namespace tutti {

namespace {

constexpr std::array<std::pair<Op, std::string_view>, 14> ops{{
    {Op::none, "none"},
    {Op::sum, "sum"},
    {Op::product, "product"},
    {Op::product, "prod"},
    {Op::minimum, "minimum"},
    {Op::minimum, "min"},
    {Op::maximum, "maximum"},
    {Op::maximum, "max"},
    {Op::average, "average"},
    {Op::average, "avg"},
    {Op::premultiplied_sum, "premultiplied_sum"},
    {Op::bitwise_and, "bitwise_and"},
    {Op::bitwise_or, "bitwise_or"},
    {Op::bitwise_xor, "bitwise_xor"},
}};

}  // namespace

std::string_view name(Op op) noexcept {
  for (const auto& [key, text] : ops)
    if (key == op) return text;
  return "user";
}

std::optional<Op> op_named(std::string_view text) noexcept {
  for (const auto& [key, name] : ops)
    if (name == text && key != Op::none) return key;
  return std::nullopt;
}

}  // namespace tutti
