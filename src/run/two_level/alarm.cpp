#include "run/two_level/alarm.hpp"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace tutti::two_level {

namespace {

constexpr const char* key = "gave_up";
constexpr std::chrono::seconds patience{1};

}  // namespace

/// Of an Alarm and the threads that ask for it, which may outlive it when the store does not answer.
struct Alarm::Shared {
  Shared(std::vector<std::shared_ptr<Store>> stores, int rank) : stores(std::move(stores)), rank(rank) {}

  const std::vector<std::shared_ptr<Store>> stores;
  const int rank;
  std::mutex mutex;
  std::condition_variable ended;
  int asking = 0;  ///< threads
  Rung rung;       ///< as far as is known

  void wait_a_little() {
    std::unique_lock lock(mutex);
    ended.wait_for(lock, patience, [&] { return asking == 0; });
  }
};

Alarm::Alarm(std::vector<std::shared_ptr<Store>> stores, int rank)
    : shared_(std::make_shared<Shared>(std::move(stores), rank)) {}

Alarm::~Alarm() {
  try {
    shared_->wait_a_little();
  } catch (const std::exception&) {  // of a mutex: nothing to be done
    return;
  }
}

void Alarm::ask(std::function<void(Shared&)> question) {
  const std::lock_guard starting(shared_->mutex);
  std::thread([shared = shared_, question = std::move(question)] {
    try {
      question(*shared);
    } catch (const std::exception&) {  // the store has gone: rank 0, which serves it, has finished or died
    }
    const std::lock_guard ending(shared->mutex);
    --shared->asking;
    shared->ended.notify_all();
  }).detach();
  ++shared_->asking;
}

void Alarm::ring() noexcept {
  if (has_rung_) return;
  try {
    ask([](Shared& shared) {
      Store& own = *shared.stores.front();
      if (!own.get(key)) own.set(key, std::to_string(shared.rank));
    });
    has_rung_ = true;
    shared_->wait_a_little();
  } catch (const std::exception&) {  // no thread to be had: the others find out at their deadline
    return;
  }
}

Alarm::Rung Alarm::rung() noexcept {
  const auto now = Clock::now();
  if (next_ == Clock::time_point{}) {
    interval_ = first;
    next_ = now + first;
  }
  try {
    {
      const std::lock_guard lock(shared_->mutex);
      if (shared_->rung.by >= 0 || now < next_ || shared_->asking > 0) return shared_->rung;
    }
    interval_ = std::min(2 * interval_, longest);
    next_ = now + interval_;
    ask([](Shared& shared) {
      for (const std::shared_ptr<Store>& store : shared.stores) {
        const auto value = store->get(key);
        if (!value) continue;
        const std::string text = text_of(*value);
        Rung found{.above = store != shared.stores.front()};
        std::from_chars(text.data(), text.data() + text.size(), found.by);
        const std::lock_guard lock(shared.mutex);
        shared.rung = found;
        return;
      }
    });
  } catch (const std::exception&) {  // no thread to be had: later
    return {};
  }
  return {};
}

}  // namespace tutti::two_level
