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
  Shared(std::shared_ptr<Store> store, int rank) : store(std::move(store)), rank(rank) {}

  std::shared_ptr<Store> store;
  const int rank;
  std::mutex mutex;
  std::condition_variable ended;
  int asking = 0;  ///< threads
  int rung = -1;   ///< by this rank

  void wait_a_little() {
    std::unique_lock lock(mutex);
    ended.wait_for(lock, patience, [&] { return asking == 0; });
  }
};

Alarm::Alarm(std::shared_ptr<Store> store, int rank) : shared_(std::make_shared<Shared>(std::move(store), rank)) {}

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
  try {
    ask([](Shared& shared) {
      if (!shared.store->get(key)) shared.store->set(key, std::to_string(shared.rank));
    });
    shared_->wait_a_little();
  } catch (const std::exception&) {  // no thread to be had: the others find out at their deadline
    return;
  }
}

int Alarm::rung_by() noexcept {
  const auto now = Clock::now();
  if (next_ == Clock::time_point{}) {
    interval_ = first;
    next_ = now + first;
  }
  try {
    {
      const std::lock_guard lock(shared_->mutex);
      if (shared_->rung >= 0 || now < next_ || shared_->asking > 0) return shared_->rung;
    }
    interval_ = std::min(2 * interval_, longest);
    next_ = now + interval_;
    ask([](Shared& shared) {
      const auto value = shared.store->get(key);
      if (!value) return;
      const std::string text = text_of(*value);
      int rank = -1;
      std::from_chars(text.data(), text.data() + text.size(), rank);
      const std::lock_guard lock(shared.mutex);
      shared.rung = rank;
    });
  } catch (const std::exception&) {  // no thread to be had: later
    return -1;
  }
  return -1;
}

}  // namespace tutti::two_level
