#include "conformance/arithmetic.hpp"

#include <array>
#include <memory>

#include "conformance/typed_arithmetic.hpp"

namespace tutti::conformance {

namespace {

using Row = std::array<std::unique_ptr<Arithmetic>, operator_count>;

template <class T>
Row row_of(const std::string& type) {
  Row row;
  const auto add = [&]<class F>(Operator op, std::type_identity<F>) {
    row[static_cast<std::size_t>(op)] = std::make_unique<TypedArithmetic<T, F>>(type + " " + operator_name(op), op);
  };
  add(Operator::none, std::type_identity<void>{});
  if constexpr (std::is_integral_v<T> || is_float_type<T>) {
    add(Operator::sum, std::type_identity<Sum>{});
    add(Operator::product, std::type_identity<Product>{});
    add(Operator::minimum, std::type_identity<Minimum>{});
    add(Operator::maximum, std::type_identity<Maximum>{});
    add(Operator::average, std::type_identity<Average>{});
    add(Operator::premultiplied_sum, std::type_identity<PremultipliedSum>{});
  }
  if constexpr (std::is_integral_v<T>) {
    add(Operator::bitwise_and, std::type_identity<BitwiseAnd>{});
    add(Operator::bitwise_or, std::type_identity<BitwiseOr>{});
    add(Operator::bitwise_xor, std::type_identity<BitwiseXor>{});
    add(Operator::own, std::type_identity<MaskedSum>{});
    add(Operator::own_ordered, std::type_identity<Composition>{});
  } else if constexpr (is_float_type<T>) {
    add(Operator::own, std::type_identity<LimitedMagnitude>{});
    add(Operator::own_ordered, std::type_identity<FirstNonZero>{});
  } else {
    add(Operator::own, std::type_identity<MaskedSum>{});
    add(Operator::own_ordered, std::type_identity<MatrixProduct>{});
  }
  return row;
}

/// In the order of DataType.
std::array<Row, type_count> all_rows() {
  return {row_of<std::int8_t>(type_name(0)),   row_of<std::uint8_t>(type_name(1)),  row_of<std::int16_t>(type_name(2)),
          row_of<std::uint16_t>(type_name(3)), row_of<std::int32_t>(type_name(4)),  row_of<std::uint32_t>(type_name(5)),
          row_of<std::int64_t>(type_name(6)),  row_of<std::uint64_t>(type_name(7)), row_of<float16>(type_name(8)),
          row_of<bfloat16>(type_name(9)),      row_of<float8_e4m3>(type_name(10)),  row_of<float8_e5m2>(type_name(11)),
          row_of<float>(type_name(12)),        row_of<double>(type_name(13)),       row_of<Triple>(type_name(14)),
          row_of<Wide>(type_name(15))};
}

}  // namespace

const Arithmetic* arithmetic(int type, Operator op) {
  static const std::array<Row, type_count> rows = all_rows();
  return rows[static_cast<std::size_t>(type)][static_cast<std::size_t>(op)].get();
}

std::string type_name(int type) {
  if (type == 14) return "Triple";
  if (type == 15) return "Wide";
  return std::string(name(static_cast<DataType>(type)));
}

std::string operator_name(Operator op) {
  constexpr std::array<const char*, operator_count> names = {
      "unreduced",         "sum",         "product",    "minimum",     "maximum",   "average",
      "premultiplied_sum", "bitwise_and", "bitwise_or", "bitwise_xor", "MaskedSum", "own_ordered"};
  return names[static_cast<std::size_t>(op)];
}

}  // namespace tutti::conformance
