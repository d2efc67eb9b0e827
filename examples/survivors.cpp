/// @file  Training that survives: ranks may be killed at any moment; those that are left shrink, agree where they are, and go on.
// plain:
// torchrun: 4
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "training/network.hpp"
#include "training/spirals.hpp"
#include "tutti/tutti.hpp"

namespace {

constexpr std::size_t batch = 48;  // samples of one step; divides by 4, 3, 2 and 1 ranks
constexpr std::size_t steps_of_epoch = 10;

/// What the ranks have in common after each step.
struct State {
  std::int64_t step = 0;
  std::vector<float> parameters{};
  std::vector<float> velocity{};
};

/// One step, all of it or nothing: `state` changes when the sum has come.
double train_step(tutti::Communicator& comm, const std::vector<Sample>& samples, Network& network, State& state) {
  const std::size_t share = batch / static_cast<std::size_t>(comm.size());
  const std::size_t at = static_cast<std::size_t>(state.step) * batch % (samples.size() - batch) +
                         static_cast<std::size_t>(comm.rank()) * share;
  network.parameters = state.parameters;
  std::vector<float> gradient(network.parameters.size() + 1);
  const double loss = network.learn(std::span(samples).subspan(at, share), gradient, [](std::size_t) {});
  gradient.back() = static_cast<float>(loss);
  all_reduce(comm, tutti::on_host(gradient), tutti::sum).wait();
  for (std::size_t i = 0; i < state.parameters.size(); ++i) {
    state.velocity[i] = 0.9F * state.velocity[i] + gradient[i] / batch;
    state.parameters[i] -= 0.06F * state.velocity[i];
  }
  ++state.step;
  return gradient.back() / static_cast<double>(batch);
}

// [agree]
/// Some ranks may have finished the step in which a rank was lost, others not: all take over from the one that is furthest.
void agree(tutti::Communicator& comm, State& state) {
  std::vector<std::int64_t> mine{state.step}, all(static_cast<std::size_t>(comm.size()));
  all_gather(comm, tutti::on_host(mine), tutti::on_host(all)).wait();
  const auto furthest = static_cast<int>(std::max_element(all.begin(), all.end()) - all.begin());
  state.step = all[static_cast<std::size_t>(furthest)];
  broadcast(comm, tutti::on_host(state.parameters), furthest).wait();
  broadcast(comm, tutti::on_host(state.velocity), furthest).wait();
}
// [agree]

/// Trains; returns the loss of each epoch as this rank saw it. `pause`: after each step, so that people can follow.
std::vector<double> train(tutti::Communicator comm, int epochs, std::chrono::milliseconds pause) {
  const std::vector<Sample> samples = two_spirals(512);
  Network network({2, 32, 32, 1});
  State state{0, network.parameters, std::vector<float>(network.parameters.size())};
  std::vector<double> losses;
  double loss = 0;
  bool lost = false;
  while (state.step < static_cast<std::int64_t>(steps_of_epoch) * epochs) {
    // [survive]
    try {
      if (lost) {
        comm = comm.shrink();  // those that are left, in their old order
        agree(comm, state);
        lost = false;
        std::fprintf(stderr, "rank %d of %d goes on with step %lld\n", comm.rank(), comm.size(),
                     static_cast<long long>(state.step));
      }
      loss += train_step(comm, samples, network, state);
    } catch (const tutti::Error& error) {
      if (error.code() != tutti::Code::peer_lost && error.code() != tutti::Code::aborted) throw;
      std::fprintf(stderr, "%s\n", error.what());
      lost = true;  // another one may be lost while the rest agree
      continue;
    }
    // [survive]
    if (state.step % static_cast<std::int64_t>(steps_of_epoch) == 0) {
      losses.push_back(loss / steps_of_epoch);
      loss = 0;
      if (comm.rank() == 0) {
        std::printf("epoch %3zu  loss %.4f  %d ranks\n", losses.size(), losses.back(), comm.size());
        std::fflush(stdout);
      }
    }
    std::this_thread::sleep_for(pause);
  }
  return losses;
}

/// A rank of four leaves in the middle; the curve goes on falling.
bool survives_in_process(int epochs) {
  std::vector<double> curve;
  try {
    tutti::in_process(4, [&](tutti::Communicator& comm) {
      if (comm.rank() == 2) {
        train(comm, epochs / 2, {});
        return;  // it is gone
      }
      const std::vector<double> mine = train(comm, epochs, {});
      if (comm.rank() == 0) curve = mine;
    });
  } catch (const tutti::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return false;
  }
  return curve.size() + 1 >= static_cast<std::size_t>(epochs) && curve.back() < 0.7 * curve.front();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int epochs = argc > 1 ? std::atoi(argv[1]) : 40;
    const std::chrono::milliseconds pause(argc > 2 ? std::atoi(argv[2]) : 0);
    tutti::World world = tutti::from_environment();
    if (world.size == 1) return survives_in_process(epochs) ? 0 : 1;
    train(tutti::Communicator{world, tutti::config_from_environment()}, epochs, pause);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
