/// @file  Two spirals: points of two classes that no straight line separates, the same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

struct Sample {
  float x, y;
  float label;  // 0 or 1
};

/// `count` points, classes taking turns, with a little noise.
inline std::vector<Sample> two_spirals(std::size_t count) {
  std::uint32_t state = 1;
  const auto noise = [&] {  // xorshift: the standard library's distributions differ between machines
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return 0.05F * (static_cast<float>(state >> 8) * 0x1p-23F - 1.0F);
  };
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const auto label = static_cast<float>(i % 2);
    const float along = static_cast<float>((i * 7919) % count) / static_cast<float>(count);  // in no order
    const float angle = 6.0F * along + 3.14159265F * label;
    const float radius = 0.2F + along;
    samples.push_back({radius * std::cos(angle) + noise(), radius * std::sin(angle) + noise(), label});
  }
  return samples;
}
