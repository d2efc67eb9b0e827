/// @file  A small network of fully connected layers, with its gradients: nothing distributed here.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "spirals.hpp"

/// A layer's weights [out][in] and biases [out], as a stretch of the parameters.
struct Layer {
  std::size_t in, out, begin;
  std::size_t size() const { return out * (in + 1); }
};

class Network {
 public:
  /// `widths`: units of each level, from the inputs to the one output. Weights depend on nothing else.
  explicit Network(const std::vector<std::size_t>& widths) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      layers_.push_back({widths[i], widths[i + 1], begin});
      begin += layers_.back().size();
    }
    std::uint32_t state = 12345;
    for (const Layer& layer : layers_) {
      for (std::size_t i = 0; i < layer.size(); ++i) {
        state = state * 1664525 + 1013904223;
        const float unit = static_cast<float>(state >> 8) * 0x1p-23F - 1.0F;
        parameters.push_back(i < layer.out * layer.in ? unit * std::sqrt(3.0F / static_cast<float>(layer.in)) : 0.0F);
      }
    }
  }

  const std::vector<Layer>& layers() const { return layers_; }

  /// Adds the gradient of these samples' losses to `gradients`, layer by layer from the last to the first, and calls
  /// `layer_done` with each layer's number when its part is complete. Returns the sum of the losses.
  float learn(std::span<const Sample> samples, std::vector<float>& gradients,
              const std::function<void(std::size_t)>& layer_done) {
    const std::size_t depth = layers_.size();
    levels_.assign(depth + 1, {});
    for (const Sample& sample : samples) levels_[0].insert(levels_[0].end(), {sample.x, sample.y});
    for (std::size_t l = 0; l < depth; ++l) forward(l, samples.size());

    // The loss is log(1 + exp(-margin)); its slope with respect to the output begins the way back.
    float loss = 0;
    std::vector<float> slopes(samples.size());
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const float sign = samples[s].label > 0.5F ? 1.0F : -1.0F;
      const float margin = sign * levels_[depth][s];
      loss += margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
      slopes[s] = -sign / (1.0F + std::exp(margin));
    }
    for (std::size_t l = depth; l-- > 0;) {
      slopes = backward(l, samples.size(), slopes, gradients);
      layer_done(l);
    }
    return loss;
  }

  std::vector<float> parameters;

 private:
  void forward(std::size_t l, std::size_t samples) {
    const Layer& layer = layers_[l];
    const bool last = l + 1 == layers_.size();
    levels_[l + 1].resize(samples * layer.out);
    for (std::size_t s = 0; s < samples; ++s) {
      const float* in = &levels_[l][s * layer.in];
      for (std::size_t o = 0; o < layer.out; ++o) {
        const float* weights = &parameters[layer.begin + o * layer.in];
        float total = parameters[layer.begin + layer.out * layer.in + o];
        for (std::size_t i = 0; i < layer.in; ++i) total += weights[i] * in[i];
        levels_[l + 1][s * layer.out + o] = last ? total : std::tanh(total);
      }
    }
  }

  /// `slopes`: [samples][out] of the loss by this layer's sums; returns [samples][in], those of the layer below.
  std::vector<float> backward(std::size_t l, std::size_t samples, const std::vector<float>& slopes,
                              std::vector<float>& gradients) const {
    const Layer& layer = layers_[l];
    std::vector<float> below(samples * layer.in);
    for (std::size_t s = 0; s < samples; ++s) {
      const float* in = &levels_[l][s * layer.in];
      for (std::size_t o = 0; o < layer.out; ++o) {
        const float slope = slopes[s * layer.out + o];
        const std::size_t row = layer.begin + o * layer.in;
        for (std::size_t i = 0; i < layer.in; ++i) {
          gradients[row + i] += slope * in[i];
          below[s * layer.in + i] += slope * parameters[row + i];
        }
        gradients[layer.begin + layer.out * layer.in + o] += slope;
      }
      for (std::size_t i = 0; i < layer.in; ++i) below[s * layer.in + i] *= 1.0F - in[i] * in[i];  // of tanh
    }
    return below;
  }

  std::vector<Layer> layers_;
  std::vector<std::vector<float>> levels_;  // [layers + 1][samples][units]
};
