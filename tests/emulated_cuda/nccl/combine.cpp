/// @file  combine: reductions for all of NCCL's types.
#include <cmath>
#include <cstring>
#include <type_traits>

#include "emulated_cuda/nccl/job.hpp"
#include "tutti/base/narrow_float.hpp"
#include "tutti/base/reduce_op.hpp"

namespace tutti::emulated_nccl {

namespace {

template <class T>
T one_step(T a, T b, ncclRedOp_t op) {
  using A = accumulator_t<T>;
  const A x = static_cast<A>(a), y = static_cast<A>(b);
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<std::common_type_t<T, int>>;
    if (op == ncclSum || op == ncclAvg) return static_cast<T>(static_cast<U>(x) + static_cast<U>(y));
    if (op == ncclProd) return static_cast<T>(static_cast<U>(x) * static_cast<U>(y));
  } else {
    if (op == ncclSum || op == ncclAvg) return static_cast<T>(x + y);
    if (op == ncclProd) return static_cast<T>(x * y);
  }
  if (op == ncclMax) return x < y ? b : a;
  return y < x ? b : a;
}

template <class T>
void combine_as(void* out, const std::vector<const char*>& parts, std::size_t count,
                const std::vector<Reduction>& reductions) {
  using A = accumulator_t<T>;
  const std::size_t ranks = parts.size(), chunk = (count + ranks - 1) / ranks;
  const ncclRedOp_t op = reductions.front().scaled ? ncclSum : reductions.front().op;
  const auto element = [&](std::size_t rank, std::size_t i) {
    T value;
    std::memcpy(&value, parts[rank] + i * sizeof(T), sizeof value);
    if (reductions[rank].scaled) {
      T scale;
      std::memcpy(&scale, reductions[rank].scale, sizeof scale);
      value = static_cast<T>(static_cast<A>(static_cast<A>(value) * static_cast<A>(scale)));
    } else if (op == ncclAvg && !std::is_integral_v<T>) {
      value = static_cast<T>(static_cast<A>(static_cast<A>(value) * (static_cast<A>(1) / static_cast<A>(ranks))));
    }
    return value;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = (i / chunk + 1) % ranks;
    T total = element(first, i);
    for (std::size_t step = 1; step < ranks; ++step) total = one_step(total, element((first + step) % ranks, i), op);
    if constexpr (std::is_integral_v<T>) {
      if (op == ncclAvg) total = static_cast<T>(averaged(total, static_cast<int>(ranks)));
    }
    std::memcpy(static_cast<char*>(out) + i * sizeof(T), &total, sizeof total);
  }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      return 0;
  }
}

void combine(void* out, const std::vector<const char*>& parts, std::size_t count, ncclDataType_t type,
             const std::vector<Reduction>& reductions) {
  if (count == 0) return;
  switch (type) {
    case ncclInt8:
      return combine_as<std::int8_t>(out, parts, count, reductions);
    case ncclUint8:
      return combine_as<std::uint8_t>(out, parts, count, reductions);
    case ncclInt32:
      return combine_as<std::int32_t>(out, parts, count, reductions);
    case ncclUint32:
      return combine_as<std::uint32_t>(out, parts, count, reductions);
    case ncclInt64:
      return combine_as<std::int64_t>(out, parts, count, reductions);
    case ncclUint64:
      return combine_as<std::uint64_t>(out, parts, count, reductions);
    case ncclFloat16:
      return combine_as<float16>(out, parts, count, reductions);
    case ncclBfloat16:
      return combine_as<bfloat16>(out, parts, count, reductions);
    case ncclFloat8e4m3:
      return combine_as<float8_e4m3>(out, parts, count, reductions);
    case ncclFloat8e5m2:
      return combine_as<float8_e5m2>(out, parts, count, reductions);
    case ncclFloat32:
      return combine_as<float>(out, parts, count, reductions);
    default:
      return combine_as<double>(out, parts, count, reductions);
  }
}

}  // namespace tutti::emulated_nccl
