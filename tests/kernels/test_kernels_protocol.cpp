/// @file  What surrounds the data: credits, numbers that go around, aborts, deadlines, changing grids, own operators.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "kernels/chunk.hpp"
#include "kernels/host_kernels.hpp"
#include "kernels/virtual_devices.hpp"

using namespace tutti;
using namespace tutti::kernels;
using namespace tutti::kernels::test;

namespace {

constexpr WireShape tiny(int ranks) {
  return {.ranks = ranks, .channels = 4, .slots = 2, .slot_bytes = 256, .packet_slots = 2, .packet_bytes = 256};
}

/// A call on one rank's vector, in place.
template <class T>
RankLaunch call_of(VirtualDevices& devices, int rank, const plan::Schedule& schedule, std::vector<T>& values,
                   HostKernel kernel, bool packets, int channels = 1) {
  RankLaunch launch{devices.arguments(rank), kernel};
  Arguments& call = launch.call;
  call.schedule = schedule;
  call.layout = plan::Layout(schedule, rank, values.size(), sizeof(T));
  call.channels = channels;
  call.in = reinterpret_cast<const std::byte*>(values.data());
  call.out = reinterpret_cast<std::byte*>(values.data());
  call.element_size = sizeof(T);
  call.chunk = chunk_of(schedule, call.layout, call.shape, channels, packets, sizeof(T));
  call.rounds = plan::rounds(call.layout, call.chunk);
  return launch;
}

/// all_reduce of each rank's number, `calls` times; how often a result was wrong.
int wrong_sums(VirtualDevices& devices, Algorithm algorithm, bool packets, std::size_t count, int channels, int calls) {
  const int ranks = devices.shape().ranks;
  const plan::Schedule schedule{Collective::all_reduce, algorithm, false, ranks, 0};
  int wrong = 0;
  for (int i = 0; i < calls; ++i) {
    std::vector<std::vector<std::int32_t>> values;
    std::vector<std::vector<std::int32_t>> results(static_cast<std::size_t>(ranks), std::vector<std::int32_t>(count));
    for (int rank = 0; rank < ranks; ++rank) values.emplace_back(count, i + rank);
    std::vector<RankLaunch> launches;
    for (int rank = 0; rank < ranks; ++rank) {
      launches.push_back(call_of(devices, rank, schedule, values[static_cast<std::size_t>(rank)],
                                 host_kernel(DataType::int32, Op::sum, packets), packets, channels));
      launches.back().call.out = reinterpret_cast<std::byte*>(results[static_cast<std::size_t>(rank)].data());
    }
    if (!launch(launches, 1)) return calls;
    const std::vector<std::int32_t> right(count, i * ranks + ranks * (ranks - 1) / 2);
    wrong += static_cast<int>(
        std::count_if(results.begin(), results.end(), [&](const auto& each) { return each != right; }));
  }
  return wrong;
}

template <class T, class F>
std::vector<std::vector<T>> all_reduced(std::vector<std::vector<T>> values, const F& op, bool packets) {
  const auto ranks = static_cast<int>(values.size());
  VirtualDevices devices(tiny(ranks));
  const plan::Schedule schedule{Collective::all_reduce, Algorithm::one_shot, false, ranks, 0};
  std::vector<RankLaunch> launches;
  for (int rank = 0; rank < ranks; ++rank) {
    launches.push_back(call_of(devices, rank, schedule, values[static_cast<std::size_t>(rank)],
                               host_kernel_of<T, F>(packets), packets));
    put_function(launches.back().call, op);
  }
  CHECK(launch(launches, 1));
  return values;
}

/// Addition of twelve bytes, seen through a mask.
struct Triple {
  std::uint32_t v[3];
  bool operator==(const Triple&) const = default;
};
struct MaskedSum {
  std::uint32_t mask = 0;
  Triple operator()(const Triple& a, const Triple& b) const {
    return {{(a.v[0] + b.v[0]) ^ mask, a.v[1] + b.v[1], a.v[2] + b.v[2]}};
  }
};
/// The first that is not zero: tells in which order it was asked.
struct FirstNonZero {
  float operator()(float a, float b) const { return a != 0 ? a : b; }
};

}  // namespace

TEST_CASE("kernels: one rank sends far more messages than a wire has slots, and the other takes its time") {
  for (const bool packets : {false, true}) {
    VirtualDevices devices(tiny(2));
    std::vector<std::uint8_t> sent(20'000);
    std::vector<std::uint8_t> received(sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    const HostKernel kernel = host_kernel(DataType::uint8, Op::none, packets);
    const plan::Schedule send{Collective::send, Algorithm::one_shot, false, 2, 1};
    const plan::Schedule recv{Collective::recv, Algorithm::one_shot, false, 2, 0};
    for (int times = 0; times < 3; ++times) {
      std::vector<RankLaunch> launches{call_of(devices, 0, send, sent, kernel, packets),
                                       call_of(devices, 1, recv, received, kernel, packets)};
      CHECK(launch(launches, times == 0 ? 1 : 3));
      CHECK(received == sent);
      std::fill(received.begin(), received.end(), std::uint8_t{0});
    }
  }
}

TEST_CASE("kernels: numbers of messages go on past 2^30 and 2^32") {
  for (const std::uint64_t messages : {(std::uint64_t{1} << 30) - 3, (std::uint64_t{1} << 32) - 5}) {
    for (const bool packets : {false, true}) {
      VirtualDevices devices(tiny(3));
      devices.pretend(messages);
      CHECK(wrong_sums(devices, Algorithm::one_shot, packets, 150, 1, 6) == 0);
      CHECK(wrong_sums(devices, Algorithm::ring, packets, 5, 1, 6) == 0);
    }
  }
}

TEST_CASE("kernels: when numbers of messages come around, no line is left from the time before") {
  VirtualDevices devices(tiny(2));
  const auto lines_of = [&](std::uint32_t number) {
    int lines = 0;
    for (std::size_t at = devices.shape().first_packet(); at < devices.shape().bytes(); at += 16) {
      std::uint32_t words[4];
      std::memcpy(words, devices.wires(0) + at, sizeof words);
      lines += words[1] == number || words[3] == number ? 1 : 0;
    }
    return lines;
  };
  devices.pretend(7);
  CHECK(wrong_sums(devices, Algorithm::one_shot, true, 60, 1, 2) == 0);
  CHECK(lines_of(8) == 30);
  CHECK(lines_of(9) == 30);
  // Short messages for 2^30 more: all but the first line of each slot stay.
  devices.pretend((std::uint64_t{1} << 30) - 2);
  CHECK(wrong_sums(devices, Algorithm::one_shot, true, 1, 1, 1) == 0);
  CHECK(lines_of(8) == 30);
  CHECK(lines_of(9) == 29);
  CHECK(wrong_sums(devices, Algorithm::one_shot, true, 1, 1, 2) == 0);
  CHECK(lines_of(8) + lines_of(9) == 0);
}

TEST_CASE("kernels: calls may use another number of channels than the ones before") {
  for (const bool packets : {false, true}) {
    VirtualDevices devices(tiny(4));
    for (const int channels : {4, 1, 3, 2, 4}) {
      CHECK(wrong_sums(devices, Algorithm::ring, packets, 700, channels, 2) == 0);
      CHECK(wrong_sums(devices, Algorithm::tree, packets, 31, channels, 2) == 0);
    }
  }
}

TEST_CASE("kernels: a rank that stays away is given up at the deadline, by name, and nothing runs afterwards") {
  for (const bool packets : {false, true}) {
    VirtualDevices devices(tiny(3));
    std::vector<std::vector<std::int32_t>> values(3, std::vector<std::int32_t>(40, 1));
    const plan::Schedule schedule{Collective::all_reduce, Algorithm::ring, false, 3, 0};
    const HostKernel kernel = host_kernel(DataType::int32, Op::sum, packets);
    std::vector<RankLaunch> launches;
    for (int rank = 0; rank < 2; ++rank) {
      launches.push_back(call_of(devices, rank, schedule, values[static_cast<std::size_t>(rank)], kernel, packets));
      launches.back().call.timeout = 50'000'000;
    }
    CHECK_FALSE(launch(launches, 3));
    CHECK(devices.outcome(0).failure == static_cast<std::uint32_t>(Failure::timeout));
    CHECK(devices.outcome(0).peer == 2);  // it receives from the left, which is rank 2

    // The one that comes late finds that the others have given up: by its own deadline.
    for (RankLaunch& launch : launches) launch.call.timeout = 0;
    devices.outcome(0) = {};
    CHECK_FALSE(launch(std::span(launches).first(1), 1));
    CHECK(devices.outcome(0).failure == static_cast<std::uint32_t>(Failure::poisoned));
  }
}

TEST_CASE("kernels: an abort ends a wait without a deadline, in the middle of a window and of a message") {
  for (const bool window : {false, true}) {
    VirtualDevices devices(tiny(2));
    std::vector<std::int32_t> values(40, 1);
    std::vector<std::byte*> windows(2, reinterpret_cast<std::byte*>(values.data()));
    const plan::Schedule schedule{Collective::all_reduce, Algorithm::two_shot, window, 2, 0};
    RankLaunch alone = call_of(devices, 0, schedule, values, host_kernel(DataType::int32, Op::sum, false), false);
    alone.call.windows_in = alone.call.windows_out = windows.data();
    std::thread aborter([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      HostMachine::store_relaxed(&devices.abort(), 1);
    });
    CHECK_FALSE(launch(std::span(&alone, 1), 2));
    aborter.join();
    CHECK(devices.outcome(0).failure == static_cast<std::uint32_t>(Failure::aborted));
    CHECK(devices.outcome(0).peer == 1);
  }
}

TEST_CASE("kernels: a user's function object combines in rank order, with its state, whatever its type's size") {
  for (const bool packets : {false, true}) {
    const auto triples =
        all_reduced<Triple>({{{{1, 2, 3}}, {{4, 5, 6}}}, {{{10, 20, 30}}, {{40, 50, 60}}}}, MaskedSum{0xff}, packets);
    const std::vector<Triple> right{{{11 ^ 0xff, 22, 33}}, {{44 ^ 0xff, 55, 66}}};
    CHECK(triples == std::vector(2, right));
    const auto firsts = all_reduced<float>({{0, 5, 0}, {2, 6, 0}, {3, 7, 9}}, FirstNonZero{}, packets);
    CHECK(firsts == std::vector(3, std::vector<float>{2, 5, 9}));
  }
}

TEST_CASE("kernels: what does not lie on a multiple of 16 bytes gives the same bits") {
  const std::size_t count = 333;
  std::vector<std::vector<float>> values;
  for (int rank = 0; rank < 3; ++rank) {
    values.emplace_back(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
      values.back()[i + 1] = static_cast<float>(i) * 0.37F + static_cast<float>(rank) * 1.01F;
    }
  }
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::one_shot, Algorithm::two_shot}) {
    VirtualDevices devices(tiny(3));
    const plan::Schedule schedule{Collective::all_reduce, algorithm, false, 3, 0};
    std::vector<std::vector<float>> results[2];
    for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
      std::vector<std::vector<float>> copies(3, std::vector<float>(count + 4));
      std::vector<RankLaunch> launches;
      for (std::size_t rank = 0; rank < 3; ++rank) {
        auto* const aligned = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(copies[rank].data()) + 15) &
                                                       ~std::uintptr_t{15});
        float* const data = aligned + shift;
        std::copy(values[rank].begin() + 1, values[rank].end(), data);
        std::vector<float> shape(count);
        launches.push_back(call_of(devices, static_cast<int>(rank), schedule, shape,
                                   host_kernel(DataType::float32, Op::average, false), false));
        launches.back().call.averages = true;
        launches.back().call.in = reinterpret_cast<const std::byte*>(data);
        launches.back().call.out = reinterpret_cast<std::byte*>(data);
      }
      CHECK(launch(launches, 2));
      for (const RankLaunch& each : launches) {
        const auto* const data = reinterpret_cast<const float*>(each.call.out);
        results[shift].emplace_back(data, data + count);
      }
    }
    CHECK(results[0] == results[1]);
    CHECK(results[0][0] == results[0][2]);
  }
}
