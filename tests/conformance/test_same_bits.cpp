/// @file  What must be the same to the last bit: on all ranks, in every run, by every way that deterministic allows.
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "conformance/random.hpp"
#include "tutti/base/error.hpp"
#include "tutti/collectives.hpp"
#include "tutti/in_process.hpp"

using namespace tutti;
using namespace tutti::conformance;

namespace {

template <class T>
using PerRank = std::vector<std::vector<T>>;

/// Values of very different size, so that any other order of adding shows.
template <class T>
std::vector<T> values_of(int rank, std::size_t count) {
  Random random(mix(3, static_cast<std::uint64_t>(rank)));
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) {
    const float magnitude = random.unit() * static_cast<float>(1 << random.below(6));
    values.push_back(static_cast<T>((random.next() & 1) != 0 ? magnitude : -magnitude));
  }
  return values;
}

/// Every rank's result of one all_reduce.
template <class T, class Op>
PerRank<T> all_reduced(int ranks, std::size_t count, const Op& op, const Options& options) {
  PerRank<T> results(static_cast<std::size_t>(ranks));
  in_process(ranks, [&](Communicator& comm) {
    std::vector<T> values = values_of<T>(comm.rank(), count);
    all_reduce(comm, on_host(values), op, options).wait();
    results[static_cast<std::size_t>(comm.rank())] = std::move(values);
  });
  return results;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Every way that there is, one after another on each rank; the results of each are compared with those of the first.
template <class T>
void check_deterministic(int ranks, std::size_t count) {
  std::vector<Options> ways;
  for (const Algorithm algorithm :
       {Algorithm::automatic, Algorithm::direct, Algorithm::one_shot, Algorithm::two_shot}) {
    for (const Protocol protocol : {Protocol::automatic, Protocol::packet, Protocol::fifo, Protocol::window}) {
      ways.push_back({.algorithm = algorithm, .protocol = protocol, .deterministic = true});
    }
  }
  std::vector<T> first;
  for (const bool thread : {false, true}) {
    std::vector<PerRank<T>> results(ways.size(), PerRank<T>(static_cast<std::size_t>(ranks)));
    in_process(ranks,
               [&](Communicator& comm) {
                 for (std::size_t way = 0; way < ways.size(); ++way) {
                   std::vector<T>& values = results[way][static_cast<std::size_t>(comm.rank())];
                   values = values_of<T>(comm.rank(), count);
                   all_reduce(comm, on_host(values), average, ways[way]).wait();
                 }
               },
               {.progress_thread = thread});
    if (first.empty()) first = results[0][0];
    for (std::size_t way = 0; way < ways.size(); ++way) {
      INFO(ranks << " ranks, " << count << " elements, " << name(ways[way].algorithm) << " over "
                 << name(ways[way].protocol) << (thread ? ", progress threads" : ""));
      for (const std::vector<T>& result : results[way]) CHECK(same(result, first));
    }
  }
}

}  // namespace

TEST_CASE("a deterministic result has the same bits by every algorithm and protocol and in every run") {
  for (const int ranks : {2, 3, 5, 8}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{77}, std::size_t{5000}}) {
      check_deterministic<float>(ranks, count);
      check_deterministic<double>(ranks, count);
      check_deterministic<bfloat16>(ranks, count);
      check_deterministic<float8_e4m3>(ranks, count);
    }
  }
}

TEST_CASE("a deterministic reduce and reduce_scatter have the bits of the deterministic all_reduce") {
  constexpr int ranks = 4;
  constexpr std::size_t count = 999;
  const std::vector<float> whole = all_reduced<float>(ranks, ranks * count, sum, {.deterministic = true})[0];
  std::vector<float> reduced(ranks * count);
  std::vector<float> scattered(ranks * count);
  in_process(ranks, [&](Communicator& comm) {
    const std::vector<float> values = values_of<float>(comm.rank(), ranks * count);
    std::vector<float> out(ranks * count);
    reduce(comm, on_host(values), on_host(out), sum, 2, {.deterministic = true}).wait();
    if (comm.rank() == 2) reduced = out;
    reduce_scatter(comm, on_host(values), on_host(&scattered[static_cast<std::size_t>(comm.rank()) * count], count),
                   sum, {.deterministic = true})
        .wait();
  });
  CHECK(same(reduced, whole));
  CHECK(same(scattered, whole));
}

TEST_CASE("all ranks hold the same bits after an all_reduce, by whatever algorithm") {
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::ring, Algorithm::tree, Algorithm::one_shot,
                                    Algorithm::two_shot, Algorithm::halving_doubling}) {
    for (const int ranks : {2, 3, 6, 7}) {
      INFO(ranks << " ranks, " << name(algorithm));
      const PerRank<bfloat16> results = all_reduced<bfloat16>(ranks, 3000, sum, {.algorithm = algorithm});
      for (const auto& result : results) CHECK(same(result, results[0]));
    }
  }
}

TEST_CASE("what is not a number wins a minimum and a maximum, by whatever algorithm and from whatever rank") {
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::tree, Algorithm::one_shot, Algorithm::two_shot, Algorithm::halving_doubling}) {
    for (int from = 0; from < 5; ++from) {
      int wrong = 0;
      std::mutex mutex;
      in_process(5, [&](Communicator& comm) {
        std::vector<float> low(9, static_cast<float>(comm.rank()));
        if (comm.rank() == from) low[4] = std::numeric_limits<float>::quiet_NaN();
        std::vector<float> high = low;
        all_reduce(comm, on_host(low), minimum, {.algorithm = algorithm}).wait();
        all_reduce(comm, on_host(high), maximum, {.algorithm = algorithm}).wait();
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < 9; ++i) {
          const bool right = i == 4 ? low[i] != low[i] && high[i] != high[i] : low[i] == 0 && high[i] == 4;
          wrong += right ? 0 : 1;
        }
      });
      INFO(name(algorithm) << ", from rank " << from);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("naming a pattern that is not in rank order together with deterministic is an error that says what is") {
  in_process(3, [](Communicator& comm) {
    std::vector<float> values(4);
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree, Algorithm::halving_doubling}) {
      std::string text;
      try {
        all_reduce(comm, on_host(values), sum, {.algorithm = algorithm, .deterministic = true}).wait();
      } catch (const Error& error) {
        text = error.code() == Code::unsupported ? error.what() : "";
      }
      if (text.find(name(algorithm)) == std::string::npos || text.find("one_shot") == std::string::npos) {
        throw std::runtime_error(fmt::format("{}: {}", name(algorithm), text));
      }
    }
  });
}
