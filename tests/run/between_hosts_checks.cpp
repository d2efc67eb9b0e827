#include "run/between_hosts_checks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/collectives.hpp"
#include "tutti/group.hpp"
#include "tutti/in_process.hpp"

namespace tutti::test {

namespace {

using namespace std::chrono_literals;

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("not so: " + what);
}

template <class T>
void require_equal(const std::vector<T>& actual, const std::vector<T>& expected, const std::string& what) {
  require(actual.size() == expected.size(), what + ": as many elements");
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) == 0) continue;
    throw std::runtime_error(fmt::format("{}: element {} of {} is wrong", what, i, actual.size()));
  }
}

/// The error that a call ends with; what_for names it when there is none.
Error error_of(const std::string& what_for, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  throw std::runtime_error("no error: " + what_for);
}

void require_code(const Error& error, std::initializer_list<Code> codes) {
  for (const Code code : codes) {
    if (error.code() == code) return;
  }
  throw std::runtime_error(std::string("another error: ") + error.what());
}

constexpr Options by_mpi{.backend = Backend::mpi};

/// Small numbers, exact in every type and in any order; the same whoever asks.
template <class T>
std::vector<T> numbers(int rank, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(static_cast<float>((static_cast<std::size_t>(rank) * 7 + i * 3) % 3));
  }
  return values;
}

/// numbers() of all ranks combined by f, in the order of ranks.
template <class T, class F>
std::vector<T> combined(int ranks, std::size_t count, const F& f) {
  std::vector<T> total = numbers<T>(0, count);
  for (int rank = 1; rank < ranks; ++rank) {
    const std::vector<T> next = numbers<T>(rank, count);
    for (std::size_t i = 0; i < count; ++i) {
      total[i] = static_cast<T>(f(static_cast<accumulator_t<T>>(total[i]), static_cast<accumulator_t<T>>(next[i])));
    }
  }
  return total;
}

template <class T, class F>
void check_reductions(Communicator& comm, const F& op, const std::string& name) {
  const int size = comm.size();
  const int root = size - 1;
  const auto ranks = static_cast<std::size_t>(size);
  const auto self = static_cast<std::size_t>(comm.rank());
  for (const std::size_t each : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
    const std::size_t count = each * ranks;
    const std::vector<T> expected = combined<T>(size, count, op);
    const auto part = [&](std::size_t begin, std::size_t length) {
      return std::vector<T>(expected.begin() + static_cast<std::ptrdiff_t>(begin),
                            expected.begin() + static_cast<std::ptrdiff_t>(begin + length));
    };
    const std::vector<T> in = numbers<T>(comm.rank(), count);
    std::vector<T> out(count);
    all_reduce(comm, on_host(in), on_host(out), op, by_mpi).wait();
    require_equal(out, expected, name + " all_reduce");
    out = in;
    all_reduce(comm, on_host(out), op, by_mpi).wait();
    require_equal(out, expected, name + " all_reduce in place");
    out = in;
    reduce(comm, on_host(out), op, root, by_mpi).wait();
    require_equal(out, comm.rank() == root ? expected : in, name + " reduce in place");
    std::vector<T> mine(each);
    reduce_scatter(comm, on_host(in), on_host(mine), op, by_mpi).wait();
    require_equal(mine, part(self * each, each), name + " reduce_scatter");
    out = in;
    reduce_scatter(comm, on_host(std::as_const(out)), on_host(out.data() + self * each, each), op, by_mpi).wait();
    require_equal(std::vector<T>(out.begin() + static_cast<std::ptrdiff_t>(self * each),
                                 out.begin() + static_cast<std::ptrdiff_t>((self + 1) * each)),
                  part(self * each, each), name + " reduce_scatter in place");
    std::vector<std::size_t> counts(ranks, each);  // the first rank gets nothing, the last one twice as much
    counts.front() -= each;
    counts.back() += each;
    std::vector<T> uneven(counts[self]);
    reduce_scatter_v(comm, on_host(in), on_host(uneven), counts, op, by_mpi).wait();
    std::size_t begin = 0;
    for (std::size_t r = 0; r < self; ++r) begin += counts[r];
    require_equal(uneven, part(begin, counts[self]), name + " reduce_scatter_v");
  }
}

/// Adds up both halves; 12 bytes, so that no MPI has such a type.
struct Pair {
  std::int64_t sum;
  std::int32_t count;
} __attribute__((packed));
struct AddPairs {
  std::int64_t bonus = 0;
  Pair operator()(const Pair& a, const Pair& b) const { return {a.sum + b.sum + bonus, a.count + b.count}; }
};

/// Chains two affine maps x -> a·x + b: the order matters.
struct Affine {
  std::uint32_t a;
  std::uint32_t b;
};
struct Chain {
  static constexpr bool commutative = false;
  Affine operator()(const Affine& f, const Affine& g) const { return {f.a * g.a, f.a * g.b + f.b}; }
};

std::vector<Affine> maps(int rank, std::size_t count) {
  std::vector<Affine> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = {static_cast<std::uint32_t>(2 * rank + 3), static_cast<std::uint32_t>(i * 11 + 1)};
  }
  return values;
}

/// Numbers whose sum depends on the order.
template <class T>
std::vector<T> uneasy(int rank, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto mixed = (static_cast<std::uint32_t>(rank) * 2654435761U) ^ (static_cast<std::uint32_t>(i) * 40503U);
    values[i] = static_cast<T>(
        std::ldexp(static_cast<float>(mixed % 1021) / 64.0F - 8.0F, static_cast<int>(mixed / 1021 % 7) - 3));
  }
  return values;
}

/// A call that every rank makes, and what it gives on this rank.
template <class T>
using Call = std::function<std::vector<T>(Communicator&)>;

/// What `call` gives rank `rank` of so many on one host.
template <class T>
std::vector<T> on_one_host(int ranks, int rank, const Call<T>& call) {
  std::vector<T> result;
  in_process(ranks, [&](Communicator& comm) {
    std::vector<T> mine = call(comm);
    if (comm.rank() == rank) result = std::move(mine);
  });
  return result;
}

template <class T>
void compare_with_one_host(Communicator& comm, const std::string& name, const Call<T>& call) {
  require_equal(call(comm), on_one_host<T>(comm.size(), comm.rank(), call), name);
}

/// `op_of` gives a rank's operator.
template <class T, class F>
void check_bits(Communicator& comm, const std::string& name, const F& op_of, const Options& options,
                const std::function<std::vector<T>(int, std::size_t)>& input) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{37}, std::size_t{70000}}) {
    compare_with_one_host<T>(comm, name + " all_reduce", [&](Communicator& c) {
      std::vector<T> values = input(c.rank(), count);
      all_reduce(c, on_host(values), op_of(c.rank()), options).wait();
      return values;
    });
    compare_with_one_host<T>(comm, name + " reduce", [&](Communicator& c) {
      std::vector<T> values = input(c.rank(), count);
      reduce(c, on_host(values), op_of(c.rank()), c.size() / 2, options).wait();
      return values;
    });
    compare_with_one_host<T>(comm, name + " reduce_scatter", [&](Communicator& c) {
      const std::vector<T> values = input(c.rank(), count * static_cast<std::size_t>(c.size()));
      std::vector<T> mine(count);
      reduce_scatter(c, on_host(values), on_host(mine), op_of(c.rank()), options).wait();
      return mine;
    });
    compare_with_one_host<T>(comm, name + " reduce_scatter_v in place", [&](Communicator& c) {
      std::vector<std::size_t> counts;
      std::size_t all = 0, before = 0;
      for (int rank = 0; rank < c.size(); ++rank) {
        if (rank == c.rank()) before = all;
        counts.push_back(rank % 2 == 0 ? count : count / 3);
        all += counts.back();
      }
      std::vector<T> values = input(c.rank(), all);
      const std::size_t length = counts[static_cast<std::size_t>(c.rank())];
      reduce_scatter_v(c, on_host(std::as_const(values)), on_host(values.data() + before, length), counts,
                       op_of(c.rank()), options)
          .wait();
      return std::vector<T>(values.begin() + static_cast<std::ptrdiff_t>(before),
                            values.begin() + static_cast<std::ptrdiff_t>(before + length));
    });
  }
}

/// The sum of all ranks' numbers, by all_reduce.
void require_works(Communicator& comm, const std::string& what) {
  std::vector<std::int32_t> values{comm.rank(), 1};
  all_reduce(comm, on_host(values), sum).wait();
  require_equal(values, {comm.size() * (comm.size() - 1) / 2, comm.size()}, what);
}

}  // namespace

void check_backend_mpi(Communicator& comm) {
  check_reductions<std::int32_t>(comm, sum, "int32 sum");
  check_reductions<std::uint8_t>(comm, bitwise_xor, "uint8 xor");
  check_reductions<double>(comm, product, "float64 product");
  check_reductions<float>(comm, maximum, "float32 maximum");
  check_reductions<float16>(comm, sum, "float16 sum");
  check_reductions<bfloat16>(comm, minimum, "bfloat16 minimum");
  check_reductions<float8_e4m3>(comm, maximum, "float8 maximum");

  std::vector<float> values{static_cast<float>(comm.rank()), 2.0F};
  all_reduce(comm, on_host(values), average, by_mpi).wait();
  require_equal(values, {static_cast<float>(comm.size() - 1) / 2, 2.0F}, "average");

  const std::vector<float> in{1.0F, 2.0F};
  all_reduce(comm, on_host(in), on_host(values), premultiplied_sum(comm.rank() + 1.0), by_mpi).wait();
  const auto factor = static_cast<float>(comm.size() * (comm.size() + 1)) / 2;
  require_equal(values, {factor, 2 * factor}, "premultiplied sum");

  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Backend backend : {Backend::mpi, Backend::automatic}) {
    values = {comm.rank() == comm.size() - 1 ? nan : 1.0F, static_cast<float>(comm.rank())};
    all_reduce(comm, on_host(values), minimum, {.backend = backend}).wait();
    require(std::isnan(values[0]) && values[1] == 0.0F, "NaN wins a minimum");
    values = {comm.rank() == 0 ? nan : 1.0F, static_cast<float>(comm.rank())};
    all_reduce(comm, on_host(values), maximum, {.backend = backend}).wait();
    require(std::isnan(values[0]) && values[1] == static_cast<float>(comm.size() - 1), "NaN wins a maximum");
  }

  const std::int64_t bonuses = 5 * (comm.size() - 1);
  for (const Backend backend : {Backend::mpi, Backend::automatic}) {
    std::vector<Pair> pairs(33, Pair{comm.rank(), 1});
    all_reduce(comm, on_host(pairs), AddPairs{5}, {.backend = backend}).wait();
    for (const Pair& pair : pairs) {
      const std::int64_t got = pair.sum;
      require(got == comm.size() * (comm.size() - 1) / 2 + bonuses && pair.count == comm.size(),
              "an operator of the caller's own keeps its state");
    }
  }

  std::vector<Affine> chain = maps(comm.rank(), 9);
  all_reduce(comm, on_host(chain), Chain{}, by_mpi).wait();
  std::vector<Affine> expected = maps(0, 9);
  for (int rank = 1; rank < comm.size(); ++rank) {
    for (std::size_t i = 0; i < 9; ++i) expected[i] = Chain{}(expected[i], maps(rank, 9)[i]);
  }
  require_equal(chain, expected, "an operator that does not commute, by MPI");
}

void check_same_bits_as_one_host(Communicator& comm) {
  const Options deterministic{.deterministic = true};
  check_bits<float>(
      comm, "float32 sum", [](int) { return sum; }, deterministic, uneasy<float>);
  check_bits<bfloat16>(
      comm, "bfloat16 average", [](int) { return average; }, deterministic, uneasy<bfloat16>);
  check_bits<float16>(
      comm, "float16 premultiplied sum", [](int rank) { return premultiplied_sum(0.3 + rank); }, deterministic,
      uneasy<float16>);
  check_bits<Affine>(
      comm, "chain", [](int) { return Chain{}; }, {}, maps);
}

void check_split(Communicator& comm) {
  auto half = comm.split(comm.rank() % 2, -comm.rank());
  require(half->size() == (comm.size() + (comm.rank() % 2 == 0 ? 1 : 0)) / 2, "every other rank");
  std::vector<std::int32_t> first{comm.rank()};
  broadcast(*half, on_host(first), 0).wait();
  require(first[0] % 2 == comm.rank() % 2 && first[0] >= comm.size() - 2, "ordered by key");
  require_works(*half, "a sum of every other rank");

  const std::size_t hosts = comm.topology().hosts().size();
  auto alone = half->split(half->rank());
  require(alone->size() == 1, "nobody else");
  require_works(*alone, "a sum of one");
  require(alone->decide(Request{.collective = Collective::all_reduce,
                                .type = DataType::int32,
                                .element_size = 4,
                                .in = first.data(),
                                .out = first.data(),
                                .in_count = 1,
                                .out_count = 1,
                                .count = 1,
                                .op = pack<std::int32_t>(sum)})
                  .backend == Backend::host,
          "one rank is on one host");

  const auto none = comm.split(comm.rank() == 0 ? -1 : 0);
  require(none.has_value() == (comm.rank() != 0), "a negative color gets nothing");
  if (none) {
    Communicator others = *none;
    require_works(others, "a sum of all but one");
    auto again = others.split(0);
    require_works(*again, "the same ranks once more");
  }
  require(comm.topology().hosts().size() == hosts, "the topology is that of before");
  require_works(comm, "a sum of all afterwards");
}

void check_topology(Communicator& comm) {
  require(comm.topology().hosts().size() >= 2, "several hosts");
  const std::string text = serialise(comm.topology());
  std::vector<std::uint64_t> length{text.size()}, longest{text.size()};
  all_reduce(comm, on_host(longest), maximum).wait();
  require(length == longest, "topologies are equally long");
  std::vector<char> theirs(text.begin(), text.end());
  broadcast(comm, on_host(theirs), 0).wait();
  require(std::string(theirs.begin(), theirs.end()) == text, "all ranks hold the same topology");
}

void check_refusals(Communicator& comm) {
  std::vector<float> values(64 * static_cast<std::size_t>(comm.size()));
  const auto reason = [&](const Options& options) {
    const Error error = error_of("refusal", [&] { all_reduce(comm, on_host(values), sum, options).wait(); });
    require_code(error, {Code::unsupported});
    return error.reason();
  };
  require(reason({.backend = Backend::host}).find("hosts") != std::string::npos, "the host engine is refused");
  require(reason({.protocol = Protocol::window}).find("hosts") != std::string::npos, "a window is refused");
  require(reason({.backend = Backend::cuda}).find("cuda") != std::string::npos, "an engine that is not there");
  require(reason({.algorithm = Algorithm::bruck}).find("bruck") != std::string::npos, "Bruck does not reduce");
  require(reason({.algorithm = Algorithm::ring, .deterministic = true}).find("rank order") != std::string::npos,
          "a ring is not deterministic");
  require(reason({.backend = Backend::mpi, .deterministic = true}).find("MPI") != std::string::npos,
          "MPI is not deterministic");
  std::vector<float> all(values.size() * static_cast<std::size_t>(comm.size()));
  const Error error = error_of("refusal", [&] {
    all_to_all(comm, on_host(std::as_const(values)), on_host(values), {.backend = Backend::two_level}).wait();
  });
  require_code(error, {Code::unsupported});
  require_works(comm, "a sum after refusals");
}

void check_mismatch(Communicator& comm) {
  std::vector<float> values(comm.rank() == comm.size() - 1 ? 11 : 10, 1.0F);
  const Error error = error_of("counts differ", [&] { all_reduce(comm, on_host(values), sum).wait(); });
  require_code(error, {Code::mismatch});
  require(std::string(error.what()).find("count") != std::string::npos, "the error names the count");
  require_works(comm, "a sum after a mismatch");
}

void check_tables(Communicator& comm) {
  const auto size = static_cast<std::size_t>(comm.size());
  std::vector<std::size_t> to(size, 2), from(size, 2);
  if (comm.rank() == comm.size() - 1) to[0] = 1;
  std::vector<std::int32_t> out(2 * size);
  const auto exchange = [&] {
    const std::vector<std::int32_t> in(2 * size - 2 + to[0], comm.rank());
    all_to_all_v(comm, on_host(in), to, on_host(out), from).wait();
  };
  const Error error = error_of("tables differ", exchange);
  require_code(error, {Code::mismatch});
  require(std::string(error.what()).find("rank 0, which expects 2") != std::string::npos, "the error names the counts");
  to[0] = 2;
  exchange();
  require(out.front() == 0 && out.back() == comm.size() - 1, "the next exchange is right");
}

void check_message_length(Communicator& comm) {
  if (comm.rank() == 0) {
    std::vector<std::int32_t> four{1, 2, 3, 4};
    send(comm, on_host(four), comm.size() - 1).wait();
  }
  if (comm.rank() != comm.size() - 1) return;
  std::vector<std::int32_t> three(3);
  const Error error = error_of("lengths differ", [&] { recv(comm, on_host(three), 0).wait(); });
  require_code(error, {Code::mismatch});
}

void check_timeout(Communicator& comm) {
  std::vector<float> values(100000, 1.0F);
  const bool away = comm.rank() == comm.size() - 1;
  const Options patience{.timeout = away ? 20s : 300ms};
  if (away) std::this_thread::sleep_for(600ms);
  const auto begin = std::chrono::steady_clock::now();
  const auto call = [&] { all_reduce(comm, on_host(values), sum, patience).wait(); };
  try {
    call();
    require(away, "nobody waits for ever");  // the late rank finds the others' contributions with the network
  } catch (const Error& error) {
    require_code(error, {Code::timeout, Code::aborted});
  }
  require(std::chrono::steady_clock::now() - begin < 10s, "the error comes in time");
  const Error next = error_of("it is over", call);
  require_code(next, {Code::aborted});
}

void check_abort(Communicator& comm) {
  std::vector<float> values(10, 1.0F);
  require_works(comm, "a sum before");
  if (comm.rank() == 0) {
    std::this_thread::sleep_for(200ms);
    comm.abort();
  }
  const auto begin = std::chrono::steady_clock::now();
  const Error error = error_of("aborted", [&] { all_reduce(comm, on_host(values), sum, {.timeout = 20s}).wait(); });
  require_code(error, {Code::aborted});
  require(std::chrono::steady_clock::now() - begin < 10s, "the others hear of it");
}

void check_abort_above(Communicator& comm) {
  std::optional<Communicator> part = comm.split(0);
  std::optional<Communicator> part_of_part = part->split(0);
  require_works(*part_of_part, "a sum before");
  if (comm.rank() == 0) {
    std::this_thread::sleep_for(200ms);
    comm.abort();
    return;
  }
  std::vector<float> values(10, 1.0F);
  const auto begin = std::chrono::steady_clock::now();
  const Error error =
      error_of("aborted above", [&] { all_reduce(*part_of_part, on_host(values), sum, {.timeout = 20s}).wait(); });
  require_code(error, {Code::aborted});
  require(std::chrono::steady_clock::now() - begin < 10s, "those of parts hear of it");
}

}  // namespace tutti::test
