/// @file  Scenarios for broken kernels: ranks that call again and again and touch their buffers as soon as they may.
///
/// No test framework, little to compile: mutations.py builds this once for every way to break the kernels, under
/// ThreadSanitizer. scenarios NAME: exit status 0, all was right; 1, a wrong result; 2, given up; 66, a race.
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "kernels/chunk.hpp"
#include "kernels/lane.hpp"
#include "kernels/virtual_devices.hpp"

using namespace tutti;
using namespace tutti::kernels;
using namespace tutti::kernels::test;

namespace {

constexpr std::size_t count = 300;
constexpr int calls = 12;

struct Scenario {
  const char* name;
  plan::Schedule schedule;
  bool packets;
  std::uint32_t threads;
  bool in_place;
};
constexpr Scenario scenarios[] = {
    {"ring", {Collective::all_reduce, Algorithm::ring, false, 3, 0}, false, 4, false},
    {"pipe", {Collective::broadcast, Algorithm::ring, false, 2, 0}, false, 1, false},
    {"packet pipe", {Collective::broadcast, Algorithm::ring, false, 2, 0}, true, 1, false},
    {"packets", {Collective::all_reduce, Algorithm::one_shot, false, 3, 0}, true, 1, true},
    {"window", {Collective::all_reduce, Algorithm::two_shot, true, 3, 0}, false, 4, false},
    {"gather window", {Collective::all_gather, Algorithm::one_shot, true, 3, 0}, false, 1, true},
};

std::int32_t element(int call, int rank, std::size_t i) {
  return call * 1000 + rank * 100 + static_cast<std::int32_t>(i % 50);
}

/// One rank's buffers and its block.
struct Rank {
  explicit Rank(std::uint32_t threads) : block(threads) {}
  std::vector<std::int32_t> in = std::vector<std::int32_t>(4 * count);
  std::vector<std::int32_t> out = std::vector<std::int32_t>(4 * count);
  HostBlock block;
};

int play(const Scenario& s) {
  const bool gathers = s.schedule.collective == Collective::all_gather;
  const int ranks = s.schedule.size;
  VirtualDevices devices({.ranks = ranks, .slots = 2, .slot_bytes = 128, .packet_slots = 2, .packet_bytes = 128});
  std::vector<std::unique_ptr<Rank>> all;
  std::vector<std::byte*> windows_in;
  std::vector<std::byte*> windows_out;
  for (int rank = 0; rank < ranks; ++rank) {
    Rank& mine = *all.emplace_back(std::make_unique<Rank>(s.threads));
    std::int32_t* const out = s.in_place && !gathers ? mine.in.data() : mine.out.data();
    std::int32_t* const in = s.in_place && gathers ? out + static_cast<std::size_t>(rank) * count : mine.in.data();
    windows_in.push_back(reinterpret_cast<std::byte*>(in));
    windows_out.push_back(reinterpret_cast<std::byte*>(out));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> running;
  for (int rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t thread = 0; thread < s.threads; ++thread) {
      running.emplace_back([&, rank, thread] {
        const auto r = static_cast<std::size_t>(rank);
        HostCrew crew(all[r]->block, thread);
        auto* const in = reinterpret_cast<std::int32_t*>(windows_in[r]);
        auto* const out = reinterpret_cast<std::int32_t*>(windows_out[r]);
        Arguments call = devices.arguments(rank);
        call.schedule = s.schedule;
        call.layout = plan::Layout(s.schedule, rank, count, 4);
        call.in = windows_in[r];
        call.out = windows_out[r];
        call.windows_in = windows_in.data();
        call.windows_out = windows_out.data();
        call.element_size = 4;
        call.chunk = chunk_of(s.schedule, call.layout, call.shape, 1, s.packets, 4);
        call.rounds = plan::rounds(call.layout, call.chunk);
        call.timeout = 10'000'000'000;
        for (int i = 0; i < calls; ++i) {
          if (thread == 0) {
            for (std::size_t e = 0; e < count; ++e) in[e] = element(i, rank, e);
          }
          if (rank == 1 && i % 3 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // others run ahead
          crew.sync();
          HostKernel kernel = s.packets ? &play_lane<std::int32_t, Sum, true, HostCrew>
                                        : &play_lane<std::int32_t, Sum, false, HostCrew>;
          if (!reduces(s.schedule.collective)) {
            kernel = s.packets ? &play_lane<std::uint8_t, Copy, true, HostCrew>
                               : &play_lane<std::uint8_t, Copy, false, HostCrew>;
          }
          if (!kernel(crew, all[r]->block.memory, call, 0, 0)) {
            wrong = 2;
            return;
          }
          crew.sync();
          if (thread != 0) continue;
          for (std::size_t e = 0; e < (gathers ? count * static_cast<std::size_t>(ranks) : count); ++e) {
            std::int32_t right = 0;
            if (reduces(s.schedule.collective)) {
              for (int from = 0; from < ranks; ++from) right += element(i, from, e);
            } else {
              right = element(i, gathers ? static_cast<int>(e / count) : 0, e % count);
            }
            if (out[e] != right && wrong == 0) wrong = 1;
            out[e] = -1;
          }
        }
      });
    }
  }
  for (std::thread& thread : running) thread.join();
  return wrong;
}

/// After a call that was given up, nothing runs any more.
int poisoned() {
  VirtualDevices devices({.ranks = 2, .slots = 2, .slot_bytes = 128, .packet_slots = 2, .packet_bytes = 128});
  const plan::Schedule schedule{Collective::recv, Algorithm::one_shot, false, 2, 1};
  std::vector<std::uint8_t> buffer(8);
  HostBlock block(1);
  HostCrew crew(block, 0);
  Arguments call = devices.arguments(0);
  call.schedule = schedule;
  call.layout = plan::Layout(schedule, 0, 8, 1);
  call.out = reinterpret_cast<std::byte*>(buffer.data());
  call.chunk = 8;
  call.rounds = 1;
  call.timeout = 20'000'000;
  if (play_lane<std::uint8_t, Copy, false>(crew, block.memory, call, 0, 0)) return 1;
  devices.outcome(0) = {};
  if (play_lane<std::uint8_t, Copy, false>(crew, block.memory, call, 0, 0)) return 1;
  return devices.outcome(0).failure == static_cast<std::uint32_t>(Failure::poisoned) ? 0 : 1;
}

/// When the numbers of messages come around, the lines of a slot are all new.
int around() {
  VirtualDevices devices({.ranks = 2, .slots = 2, .slot_bytes = 128, .packet_slots = 2, .packet_bytes = 128});
  devices.pretend((std::uint64_t{1} << 32) - 1);
  const plan::Schedule schedule{Collective::send, Algorithm::one_shot, false, 2, 1};
  std::vector<std::uint8_t> buffer(8);
  HostBlock block(1);
  HostCrew crew(block, 0);
  Arguments call = devices.arguments(0);
  call.schedule = schedule;
  call.layout = plan::Layout(schedule, 0, 8, 1);
  call.in = reinterpret_cast<const std::byte*>(buffer.data());
  call.chunk = 8;
  call.rounds = 1;
  // Lines from long ago, with a number that is still to come.
  const std::size_t slot = devices.shape().slot(0, true, plan::pairwise_wire, 0, 1);
  for (std::size_t at = 0; at < 256; at += 16) HostMachine::store_line(devices.wires(1) + slot + at, {}, 8);
  if (!play_lane<std::uint8_t, Copy, true>(crew, block.memory, call, 0, 0)) return 2;
  Line line;
  for (std::size_t at = 0; at < 256; at += 16) {
    if (HostMachine::load_line(devices.wires(1) + slot + at, line, 8)) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "poisoned") return poisoned();
  if (name == "around") return around();
  for (const Scenario& scenario : scenarios) {
    if (name == scenario.name) return play(scenario);
  }
  std::fprintf(stderr, "no scenario '%s'\n", name.c_str());
  return 3;
}
