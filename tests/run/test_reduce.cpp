/// @file  The loops against the definitions: every type and operator, counts, alignments, places, instruction sets.
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run/host/reduce.hpp"
#include "run/host/reduce_targets.hpp"
#include "run/reduce_reference.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

using Byte = unsigned char;

/// An array at any distance from a cache line's beginning. It ends where its allocation does, so that a sanitizer
/// sees what is read past it; or there are 64 spare bytes on both sides, which show what is written past it.
class Array {
 public:
  Array(std::size_t bytes, std::size_t misaligned, bool guarded)
      : bytes_(bytes), spare_(guarded ? 64 : 0), offset_(spare_ + misaligned), size_(offset_ + bytes + spare_) {
    memory_.reset(static_cast<Byte*>(::operator new (size_, std::align_val_t{64})));
    std::memset(memory_.get(), 0xa5, size_);
  }
  Byte* data() { return memory_.get() + offset_; }
  bool untouched_around() const {
    for (std::size_t i = 0; i < spare_; ++i)
      if (memory_[offset_ - 1 - i] != 0xa5 || memory_[offset_ + bytes_ + i] != 0xa5) return false;
    return true;
  }

 private:
  struct Free {
    void operator()(Byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }
  };
  std::size_t bytes_;
  std::size_t spare_;
  std::size_t offset_;
  std::size_t size_;
  std::unique_ptr<Byte[], Free> memory_;
};

/// Everything about a call but its type and operator.
struct Shape {
  std::size_t count = 0;
  int sources = 2;
  int destinations = 1;
  std::uint32_t streaming = 0;
  std::array<int, 3> in_place{-1, -1, -1};  ///< the source that each destination is
  int prepare = -1;
  int finish_over = 0;
  double scale = 1;
  std::vector<std::size_t> misaligned{};  ///< of sources, then destinations

  std::string text() const {
    std::string s = "count " + std::to_string(count) + ", sources " + std::to_string(sources) + ", destinations " +
                    std::to_string(destinations) + ", streaming " + std::to_string(streaming) + ", prepare " +
                    std::to_string(prepare) + ", finish_over " + std::to_string(finish_over) + ", in place";
    for (int d : in_place) s += " " + std::to_string(d);
    s += ", misaligned";
    for (std::size_t m : misaligned) s += " " + std::to_string(m);
    return s;
  }
};

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Runs the loop over hard inputs; the bytes of the first destination. Fails on any element or byte that is wrong.
template <class T, class F>
std::vector<T> check(DataType type, const F& op, const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t bytes = shape.count * sizeof(T);
  std::vector<std::vector<T>> inputs(static_cast<std::size_t>(shape.sources), std::vector<T>(shape.count));
  std::vector<Array> arrays;
  std::vector<const void*> sources;
  std::vector<void*> destinations;
  arrays.reserve(static_cast<std::size_t>(shape.sources + shape.destinations));
  for (int s = 0; s < shape.sources; ++s) {
    auto& input = inputs[static_cast<std::size_t>(s)];
    for (T& x : input) x = hard_value<T>(random);
    bool written = false;
    for (int d = 0; d < shape.destinations; ++d) written |= shape.in_place[static_cast<std::size_t>(d)] == s;
    auto& array = arrays.emplace_back(bytes, shape.misaligned[static_cast<std::size_t>(s)], written);
    if (bytes != 0) std::memcpy(array.data(), input.data(), bytes);
    sources.push_back(array.data());
  }
  for (int d = 0; d < shape.destinations; ++d) {
    const int s = shape.in_place[static_cast<std::size_t>(d)];
    if (s >= 0) {
      destinations.push_back(arrays[static_cast<std::size_t>(s)].data());
    } else {
      destinations.push_back(
          arrays.emplace_back(bytes, shape.misaligned[static_cast<std::size_t>(shape.sources + d)], true).data());
    }
  }
  const ReduceOp packed = pack<T>(op);
  const host::Loop loop = host::loop_for(type, packed);
  REQUIRE(loop != nullptr);
  loop({.sources = sources.data(),
        .source_count = shape.sources,
        .destinations = destinations.data(),
        .destination_count = shape.destinations,
        .count = shape.count,
        .prepare = shape.prepare,
        .finish_over = shape.finish_over,
        .streaming = shape.streaming},
       packed.state);

  std::vector<T> first(shape.count);
  if (bytes != 0) std::memcpy(static_cast<void*>(first.data()), destinations[0], bytes);
  std::vector<T> parts(inputs.size());
  for (std::size_t i = 0; i < shape.count; ++i) {
    for (std::size_t s = 0; s < parts.size(); ++s) parts[s] = inputs[s][i];
    const T expected = reference(op, parts, shape.prepare, shape.scale, shape.finish_over);
    for (int d = 0; d < shape.destinations; ++d) {
      T got;
      std::memcpy(static_cast<void*>(&got),
                  static_cast<Byte*>(destinations[static_cast<std::size_t>(d)]) + i * sizeof(T), sizeof got);
      if (!same_bits(got, expected)) {
        std::uint64_t have = 0, want = 0;
        std::memcpy(&have, &got, sizeof got);
        std::memcpy(&want, &expected, sizeof expected);
        FAIL(name(type) << " " << name(packed.kind) << ": element " << i << " of destination " << d << " is "
                        << std::hex << have << " and not " << want << std::dec << "; " << shape.text());
      }
    }
  }
  for (auto& array : arrays)
    if (!array.untouched_around()) FAIL(name(type) << ": bytes beside an array were written; " << shape.text());
  return first;
}

Shape random_shape(std::size_t count, Op kind, std::mt19937_64& random) {
  constexpr std::array source_counts{1, 2, 2, 2, 3, 4, 5, 9};
  Shape shape{.count = count,
              .sources = source_counts[random() % source_counts.size()],
              .destinations = static_cast<int>(1 + random() % 3)};
  if (random() % 2 == 0) shape.streaming = static_cast<std::uint32_t>(random() % 8);
  for (int i = 0; i < shape.sources + shape.destinations; ++i)
    shape.misaligned.push_back(random() % 4 == 0 ? 0 : random() % 64);
  if (random() % 3 == 0) {
    for (int d = 0; d < shape.destinations && d < shape.sources; ++d) {
      if (random() % 2 == 0) shape.in_place[static_cast<std::size_t>(d)] = d;
    }
  }
  if (kind == Op::average && random() % 4 != 0) shape.finish_over = static_cast<int>(1 + random() % 9);
  if (kind == Op::premultiplied_sum && random() % 4 != 0) {
    shape.prepare = static_cast<int>(random() % static_cast<std::uint64_t>(shape.sources));
    shape.scale = static_cast<double>(random() % 2001) / 500.0 - 2.0;
  }
  return shape;
}

/// Every type with every operator it has.
template <class F>
void for_each_pair(const F& f) {
  for (int type = 0; type < static_cast<int>(DataType::user); ++type)
    for (int kind = 0; kind < op_count; ++kind) f(static_cast<DataType>(type), static_cast<Op>(kind));
}

struct EverySet {
  ~EverySet() { host::use_instruction_set(-1); }
  template <class F>
  void operator()(const F& f) const {
    for (int set = 0; set < host::instruction_set_count(); ++set) {
      INFO("instruction set " << host::use_instruction_set(set));
      f();
    }
  }
};

}  // namespace

TEST_CASE("loops give what the operators' definitions give, for every type, operator, count and instruction set",
          "[reduce]") {
  std::vector<std::size_t> counts;
  for (std::size_t count = 0; count <= 70; ++count) counts.push_back(count);
  for (std::size_t count : {127, 128, 255, 333, 999, 1000, 1001, 1024, 2111}) counts.push_back(count);
  EverySet{}([&] {
    for_each_pair([&](DataType type, Op kind) {
      with_type(type, [&]<class T>(T) {
        std::mt19937_64 random(1000 * static_cast<unsigned>(type) + static_cast<unsigned>(kind));
        for (std::size_t count : counts) {
          for (int repeat = 0; repeat < 4; ++repeat) {
            const Shape shape = random_shape(count, kind, random);
            with_op<T>(kind, shape.scale, [&](const auto& op) { check<T>(type, op, shape, random()); });
          }
        }
      });
    });
  });
}

TEST_CASE("any misalignment of any array gives the same sums", "[reduce]") {
  EverySet{}([&] {
    for (std::size_t a = 0; a < 64; ++a) {
      for (std::size_t b = 0; b < 64; b += 1 + a % 3) {
        for (std::uint32_t streaming = 0; streaming < 4; ++streaming) {
          Shape shape{.count = 200 + a, .destinations = 2, .streaming = streaming, .misaligned = {b, 63 - a, a, b}};
          check<float>(DataType::float32, sum, shape, a * 64 + b);
          shape.destinations = 1;
          shape.in_place[0] = static_cast<int>(b % 3) - 1;
          check<float>(DataType::float32, sum, shape, a * 64 + b);
          shape.count = 400 + b;
          check<bfloat16>(DataType::bfloat16, sum, shape, a * 64 + b);
        }
      }
    }
  });
}

TEST_CASE("every instruction set gives the same bits", "[reduce]") {
  for_each_pair([&](DataType type, Op kind) {
    with_type(type, [&]<class T>(T) {
      std::mt19937_64 random(7 + 100 * static_cast<unsigned>(type) + static_cast<unsigned>(kind));
      for (std::size_t count : {1, 2, 3, 7, 31, 64, 65, 100, 517, 3000}) {
        const Shape shape = random_shape(count, kind, random);
        const std::uint64_t seed = random();
        std::vector<T> first;
        EverySet{}([&] {
          with_op<T>(kind, shape.scale, [&](const auto& op) {
            const std::vector<T> result = check<T>(type, op, shape, seed);
            if (first.empty()) first = result;
            for (std::size_t i = 0; i < count; ++i) {
              if (!same_bits(result[i], first[i]))
                FAIL(name(type) << " " << name(kind) << ": element " << i << "; " << shape.text());
            }
          });
        });
      }
    });
  });
}

TEST_CASE("many sources and many destinations are combined as few are", "[reduce]") {
  EverySet{}([&] {
    std::mt19937_64 random(3);
    for (int sources : {8, 10, 15, 16, 17, 64, 256}) {
      for (std::size_t count : {5, 300, 1500}) {
        Shape shape{.count = count, .sources = sources, .destinations = 3, .streaming = 5};
        for (int i = 0; i < sources + 3; ++i) shape.misaligned.push_back(random() % 64);
        shape.in_place[1] = sources - 2;
        check<double>(DataType::float64, sum, shape, random());
        check<std::int8_t>(DataType::int8, product, shape, random());
        check<float16>(DataType::float16, sum, shape, random());
        check<bfloat16>(DataType::bfloat16, maximum, shape, random());
        shape.finish_over = sources;
        check<float>(DataType::float32, average, shape, random());
        check<std::int32_t>(DataType::int32, average, shape, random());
        shape.finish_over = 0;
        shape.prepare = sources - 1;
        shape.scale = 0.75;
        check<float>(DataType::float32, premultiplied_sum(0.75), shape, random());
      }
    }
  });
  std::vector<float> a(3000, 1.5F), b(3000, 2.25F);
  std::vector<std::vector<float>> results(256, std::vector<float>(3000));
  std::vector<void*> to;
  for (auto& result : results) to.push_back(result.data());
  const std::array<const void*, 2> from{a.data(), b.data()};
  const ReduceOp op = pack<float>(sum);
  host::loop_for(DataType::float32, op)({.sources = from.data(),
                                         .source_count = 2,
                                         .destinations = to.data(),
                                         .destination_count = 256,
                                         .count = 3000,
                                         .streaming = 0xffffffffU},
                                        op.state);
  for (const auto& result : results)
    for (float x : result)
      if (x != 3.75F) FAIL(x);
}
