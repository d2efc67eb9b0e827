/// @file  Arithmetic: one element type with one operator, behind one interface: inputs, requests, and what is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tutti/base/request.hpp"

namespace tutti::conformance {

/// The 14 types by their DataType, then Triple and Wide.
inline constexpr int type_count = 16;

enum class Operator : std::uint8_t {
  none,  ///< the collective only moves data
  sum,
  product,
  minimum,
  maximum,
  average,
  premultiplied_sum,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  own,          ///< a function object with state that commutes
  own_ordered,  ///< one that does not commute
};
inline constexpr int operator_count = 12;

/// How a result came about, and so how far it may be from the definition.
struct Rounding {
  bool rank_order = true;  ///< combined in rank order and rounded once: every bit is given
  int hops = 0;            ///< else: the most steps that a contribution is combined in, each of which stores a result
  int additions = 0;       ///< and the most additions within these
};

/// Elements of this rank's two buffers, and the count of the call.
struct Elements {
  const std::byte* in = nullptr;
  std::size_t in_count = 0;
  std::byte* out = nullptr;
  std::size_t out_count = 0;
  std::size_t count = 0;
};

class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  virtual std::string name() const = 0;
  virtual std::size_t size() const = 0;  ///< bytes of an element
  virtual bool commutes() const = 0;

  /// Element i of a stream is the same whoever asks. Values suit the operator: nothing overflows to where the
  /// definition is silent.
  virtual void fill(std::byte* data, std::size_t count, std::uint64_t stream) const = 0;

  /// The call as the public face packs it; `root` and tables are the caller's to add.
  virtual Request request(Collective collective, const Elements& elements, int rank, const Options& options) const = 0;

  /// Compares a result with the definition, over `parts`: each rank's contribution, in the order of ranks. Says what
  /// is wrong; nothing when all is right.
  virtual std::optional<std::string> compare(const std::byte* actual, std::size_t count,
                                             std::span<const std::byte* const> parts, Rounding rounding) const = 0;
};

/// Null where the type has no such operator.
const Arithmetic* arithmetic(int type, Operator op);

std::string type_name(int type);
std::string operator_name(Operator op);

}  // namespace tutti::conformance
