/// @file  Data-parallel training: every rank learns from its share of each batch, and all of them take the same step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "network.hpp"
#include "spirals.hpp"
#include "tutti/tutti.hpp"

struct Settings {
  std::size_t samples = 512;
  std::size_t batch = 64;         // samples of one step, over all ranks
  std::size_t micro_batches = 2;  // parts in which a rank works off its share: gradients add up, memory stays small
  int epochs = 30;
  float rate = 0.06F;
  float momentum = 0.9F;
  bool bfloat16 = false;  // gradients travel as bfloat16; weights and their updates stay float32
};

/// The gradients of all layers, summed over the ranks while the backward pass goes on: one bucket for each layer.
class GradientBuckets {
 public:
  GradientBuckets(tutti::Communicator& comm, const Network& network, bool narrow)
      : values(network.parameters.size()),
        comm_(comm),
        layers_(network.layers()),
        narrow_(narrow ? values.size() : 0) {}

  std::vector<float> values;  // of all layers, in the order of the parameters

  // [bucket]
  /// The layer's gradient is complete on this rank: its sum begins, and is not waited for.
  void begin(std::size_t l) {
    const Layer& layer = layers_[l];
    const tutti::Options options{.deterministic = true};  // the same bits in every run
    if (narrow_.empty()) {
      works_.push_back(all_reduce(comm_, tutti::on_host(&values[layer.begin], layer.size()), tutti::sum, options));
    } else {
      std::transform(&values[layer.begin], &values[layer.begin] + layer.size(), &narrow_[layer.begin],
                     [](float value) { return tutti::bfloat16(value); });
      works_.push_back(all_reduce(comm_, tutti::on_host(&narrow_[layer.begin], layer.size()), tutti::sum, options));
    }
    for (tutti::Work& work : works_) work.done();  // without a progress thread, this moves earlier buckets on
  }

  void wait() {
    for (tutti::Work& work : works_) work.wait();
    works_.clear();
    std::transform(narrow_.begin(), narrow_.end(), values.begin(), [](tutti::bfloat16 value) { return float(value); });
  }
  // [bucket]

 private:
  tutti::Communicator& comm_;
  const std::vector<Layer>& layers_;
  std::vector<tutti::bfloat16> narrow_;  // empty: gradients travel as float32
  std::vector<tutti::Work> works_;
};

/// The mean loss of each epoch; the same on every rank, and the same for every number of ranks but for rounding: the
/// terms of a sum are added in another order. The batch must divide into ranks · micro_batches equal parts.
inline std::vector<double> train(tutti::Communicator& comm, const Settings& settings) {
  const std::size_t parts = static_cast<std::size_t>(comm.size()) * settings.micro_batches;
  if (settings.batch == 0 || settings.batch > settings.samples || settings.batch % parts != 0) {
    throw std::invalid_argument("a batch is 1 to " + std::to_string(settings.samples) + " samples and divides by " +
                                std::to_string(parts) + " (ranks times micro-batches)");
  }
  const std::vector<Sample> samples = two_spirals(settings.samples);
  Network network({2, 32, 32, 1});
  GradientBuckets gradients(comm, network, settings.bfloat16);
  std::vector<float> velocity(network.parameters.size());
  const std::size_t share = settings.batch / static_cast<std::size_t>(comm.size());
  const std::size_t part = share / settings.micro_batches;

  std::vector<double> losses;
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    double loss = 0;
    for (std::size_t batch = 0; batch + settings.batch <= samples.size(); batch += settings.batch) {
      // [step]
      std::fill(gradients.values.begin(), gradients.values.end(), 0.0F);
      const std::size_t mine = batch + static_cast<std::size_t>(comm.rank()) * share;
      for (std::size_t micro = 0; micro < settings.micro_batches; ++micro) {
        const bool last = micro + 1 == settings.micro_batches;  // only then is a layer's gradient complete
        loss += network.learn(std::span(samples).subspan(mine + micro * part, part), gradients.values,
                              [&](std::size_t layer) {
                                if (last) gradients.begin(layer);
                              });
      }
      gradients.wait();
      for (std::size_t i = 0; i < network.parameters.size(); ++i) {
        velocity[i] = settings.momentum * velocity[i] + gradients.values[i] / static_cast<float>(settings.batch);
        network.parameters[i] -= settings.rate * velocity[i];
      }
      // [step]
    }
    std::vector<double> total{loss};
    all_reduce(comm, tutti::on_host(total), tutti::sum, {.deterministic = true}).wait();
    losses.push_back(total[0] / static_cast<double>(samples.size()));
  }
  return losses;
}
