/// @file  Data-parallel training. Ranks are threads (--ranks N) or what a launcher started; without either it trains
/// with 1, 2 and 4 ranks and compares the curves.
// plain:
// plain: --bfloat16
// plain: --ranks 3 --batch 96
// torchrun: 2
// mpirun: 2 4
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "training/train.hpp"

namespace {

// [rounding]
/// How far the losses of two rank counts may be apart, relative to the larger. A gradient is a sum over the batch, and
/// other ranks add its terms in another order: that is one rounding of 2^-24 for each term. As bfloat16 it is rounded
/// twice more, by 2^-8: where it leaves a rank, and in the sum over the ranks. The curves are held to that.
double allowed(const Settings& settings) {
  return static_cast<double>(settings.batch) * 0x1p-24 + (settings.bfloat16 ? 2 * 0x1p-8 : 0);
}
// [rounding]

void print_claim(double apart, const Settings& settings) {
  std::printf("the same curve but for rounding: at most %.2g apart, %.2g allowed\n", apart, allowed(settings));
  std::printf("  (%zu terms of a batch are added in another order: %zu x 2^-24", settings.batch, settings.batch);
  std::printf(settings.bfloat16 ? "; bfloat16 gradients are rounded twice: 2 x 2^-8)\n" : ")\n");
}

void print(const std::vector<double>& losses) {
  for (std::size_t epoch = 0; epoch < losses.size(); ++epoch)
    std::printf("epoch %3zu  loss %.6f\n", epoch + 1, losses[epoch]);
}

std::vector<double> train_with_threads(int ranks, const Settings& settings) {
  std::vector<double> losses;
  tutti::in_process(ranks, [&](tutti::Communicator& comm) {
    const std::vector<double> mine = train(comm, settings);
    if (comm.rank() == 0) losses = mine;
  });
  return losses;
}

/// True when the curves of 1, 2 and 4 ranks are the same within the rounding.
bool compare(const Settings& settings) {
  const std::vector<double> one = train_with_threads(1, settings);
  const std::vector<double> two = train_with_threads(2, settings);
  const std::vector<double> four = train_with_threads(4, settings);
  double apart = 0;
  std::printf("epoch     1 rank     2 ranks    4 ranks\n");
  for (std::size_t epoch = 0; epoch < one.size(); ++epoch) {
    std::printf("%5zu   %.6f   %.6f   %.6f\n", epoch + 1, one[epoch], two[epoch], four[epoch]);
    for (const double other : {two[epoch], four[epoch]}) {
      apart = std::fmax(apart, std::fabs(other - one[epoch]) / std::fmax(other, one[epoch]));
    }
  }
  print_claim(apart, settings);
  return apart <= allowed(settings) && one.back() < 0.5 * one.front();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Settings settings;
    int ranks = 0;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--bfloat16") {
        settings.bfloat16 = true;
      } else if (word == "--ranks" && i + 1 < argc) {
        ranks = std::atoi(argv[++i]);
      } else if (word == "--batch" && i + 1 < argc) {
        settings.batch = static_cast<std::size_t>(std::atoi(argv[++i]));
      } else if (word == "--epochs" && i + 1 < argc) {
        settings.epochs = std::atoi(argv[++i]);
      } else if (word == "--rate" && i + 1 < argc) {
        settings.rate = std::strtof(argv[++i], nullptr);
      } else {
        std::fprintf(stderr, "usage: training [--ranks N] [--batch N] [--epochs N] [--rate X] [--bfloat16]\n");
        return 2;
      }
    }
    if (ranks > 0) {
      print(train_with_threads(ranks, settings));
      return 0;
    }
    tutti::World world = tutti::from_environment();
    if (world.size == 1) return compare(settings) ? 0 : 1;
    tutti::Communicator comm{world, tutti::config_from_environment()};
    const std::vector<double> losses = train(comm, settings);
    if (comm.rank() == 0) print(losses);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
