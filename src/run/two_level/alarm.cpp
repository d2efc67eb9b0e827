#include "run/two_level/alarm.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <string>

namespace tutti::two_level {

namespace {
constexpr const char* key = "gave_up";
}

void Alarm::ring() noexcept {
  try {
    if (!store_->get(key)) store_->set(key, std::to_string(rank_));
  } catch (const std::exception&) {  // the store has gone, and with it whoever could have read this
    return;
  }
}

int Alarm::rung_by() {
  const auto now = Clock::now();
  if (next_ == Clock::time_point{}) {
    interval_ = first;
    next_ = now + first;
  }
  if (now < next_ || store_ == nullptr) return -1;
  interval_ = std::min(2 * interval_, longest);
  next_ = now + interval_;
  try {
    const auto value = store_->get(key);
    if (!value) return -1;
    const std::string text = text_of(*value);
    int rank = -1;
    std::from_chars(text.data(), text.data() + text.size(), rank);
    return rank;
  } catch (const std::exception&) {  // rank 0, which serves it, may have finished before us
    next_ = Clock::time_point::max();
    return -1;
  }
}

}  // namespace tutti::two_level
