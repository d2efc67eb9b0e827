#include "run/two_level/recipe.hpp"

#include <algorithm>

namespace tutti::two_level {

int Recipe::lag(int stage) const {
  return static_cast<int>(std::count(remote_.begin(), remote_.begin() + stage, true));
}

void Recipe::stage_in(Staging& staging, std::size_t bytes) {
  constexpr std::size_t line = 128;
  stride_ = (bytes + line - 1) / line * line;
  const int in_use = std::min(depth(), std::max(1, rounds_));
  staging_ = staging.take(std::max(line, stride_ * static_cast<std::size_t>(in_use)));
}

}  // namespace tutti::two_level
