/// @file  Traffic: calls of chance, the same on all ranks, each checked against its definition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::soak {

/// What did not come out as it should.
struct Wrong {
  std::string what;
};

/// Small whole numbers, so that sums are exact in every type.
template <class T>
T value(std::uint64_t call, int rank, std::size_t index) {
  return static_cast<T>((call * 7 + static_cast<std::uint64_t>(rank) * 3 + index) % 5);
}

/// A source of calls. Ranks that begin with one seed make the same calls.
class Traffic {
 public:
  Traffic(std::uint64_t seed, std::size_t most) : random_(seed), most_(most) {}

  /// Makes the next call on a communicator and checks it. Throws Wrong; and Error, as the call does.
  void step(Communicator& comm) {
    ++call_;
    switch (below(4)) {
      case 0:
        return typed<std::int32_t>(comm);
      case 1:
        return typed<float>(comm);
      case 2:
        return typed<double>(comm);
      default:
        return typed<std::uint8_t>(comm);
    }
  }
  std::uint64_t calls() const { return call_; }

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

  template <class T>
  void typed(Communicator& comm) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    const std::size_t scale = below(4);
    const std::size_t count = scale == 0 ? below(4) : scale == 3 ? below(most_) : below(2000);
    const int root = static_cast<int>(below(ranks));
    const std::size_t kind = below(12);
    const bool in_place = below(2) == 0;
    constexpr std::array algorithms = {Algorithm::automatic, Algorithm::ring, Algorithm::tree, Algorithm::one_shot,
                                       Algorithm::two_shot};
    const Options options{.algorithm = kind == 0 ? algorithms[below(algorithms.size())] : Algorithm::automatic};
    const int me = comm.rank();
    const auto mine = [&](int rank, std::size_t elements) {
      std::vector<T> data(elements);
      for (std::size_t i = 0; i < elements; ++i) data[i] = value<T>(call_, rank, i);
      return data;
    };
    const auto check = [&](const char* name, const std::vector<T>& got, std::size_t i, T wanted) {
      if (got[i] == wanted) return;
      throw Wrong{std::string(name) + " of " + std::to_string(count) + ", call " + std::to_string(call_) + ", rank " +
                  std::to_string(me) + ", element " + std::to_string(i)};
    };
    const auto total = [&](std::size_t i) {
      T sum{};
      for (int rank = 0; rank < comm.size(); ++rank) sum = static_cast<T>(sum + value<T>(call_, rank, i));
      return sum;
    };
    std::vector<T> one = mine(me, count);
    std::vector<T> all = mine(me, count * ranks);
    std::vector<T> out(count), out_all(count * ranks);
    switch (kind) {
      case 0:
      case 1:
        if (in_place) {
          out = one;
          all_reduce(comm, on_host(out), sum, options).wait();
        } else {
          all_reduce(comm, on_host(one), on_host(out), sum, options).wait();
        }
        for (std::size_t i = 0; i < count; ++i) check("all_reduce", out, i, total(i));
        return;
      case 2:
        reduce_scatter(comm, on_host(all), on_host(out), sum).wait();
        for (std::size_t i = 0; i < count; ++i) {
          check("reduce_scatter", out, i, total(static_cast<std::size_t>(me) * count + i));
        }
        return;
      case 3:
        all_gather(comm, on_host(one), on_host(out_all)).wait();
        for (std::size_t i = 0; i < out_all.size(); ++i) {
          check("all_gather", out_all, i, value<T>(call_, static_cast<int>(i / count), i % count));
        }
        return;
      case 4:
        reduce(comm, on_host(one), on_host(out), sum, root).wait();
        for (std::size_t i = 0; i < count && me == root; ++i) check("reduce", out, i, total(i));
        return;
      case 5:
        broadcast(comm, on_host(one), root).wait();
        for (std::size_t i = 0; i < count; ++i) check("broadcast", one, i, value<T>(call_, root, i));
        return;
      case 6:
        if (in_place) {
          out_all = all;
          all_to_all(comm, on_host(std::as_const(out_all)), on_host(out_all)).wait();
        } else {
          all_to_all(comm, on_host(all), on_host(out_all)).wait();
        }
        for (std::size_t i = 0; i < out_all.size(); ++i) {
          const int from = static_cast<int>(i / count);
          check("all_to_all", out_all, i, value<T>(call_, from, static_cast<std::size_t>(me) * count + i % count));
        }
        return;
      case 7:
        gather(comm, on_host(one), on_host(out_all), root).wait();
        for (std::size_t i = 0; i < out_all.size() && me == root; ++i) {
          check("gather", out_all, i, value<T>(call_, static_cast<int>(i / count), i % count));
        }
        return;
      case 8:
        scatter(comm, on_host(all), on_host(out), root).wait();
        for (std::size_t i = 0; i < count; ++i) {
          check("scatter", out, i, value<T>(call_, root, static_cast<std::size_t>(me) * count + i));
        }
        return;
      case 9: {
        std::vector<std::size_t> counts(ranks);
        std::size_t sum_of_counts = 0;
        for (std::size_t rank = 0; rank < ranks; ++rank) sum_of_counts += counts[rank] = (count + rank) % (count + 1);
        one.resize(counts[static_cast<std::size_t>(me)]);
        out.resize(sum_of_counts);
        all_gather_v(comm, on_host(one), on_host(out), counts).wait();
        std::size_t at = 0;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          for (std::size_t i = 0; i < counts[rank]; ++i) {
            check("all_gather_v", out, at++, value<T>(call_, static_cast<int>(rank), i));
          }
        }
        return;
      }
      case 10: {  // around the ring
        if (ranks == 1) return;
        const int next = (me + 1) % comm.size(), before = (me + comm.size() - 1) % comm.size();
        Work sent = send(comm, on_host(one), next);
        recv(comm, on_host(out), before).wait();
        sent.wait();
        for (std::size_t i = 0; i < count; ++i) check("recv", out, i, value<T>(call_, before, i));
        return;
      }
      default:
        barrier(comm).wait();
        return;
    }
  }

  std::mt19937_64 random_;
  std::size_t most_;
  std::uint64_t call_ = 0;
};

}  // namespace tutti::soak
