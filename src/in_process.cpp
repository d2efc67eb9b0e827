#include "tutti/in_process.hpp"

#include <fmt/format.h>

#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/bootstrap/in_process.hpp"

namespace tutti {

namespace {

/// The failure to report: the first that is not a consequence of another rank's.
class FirstFailure {
 public:
  void offer(const std::exception_ptr& error) {
    const bool consequence = is_consequence(error);
    const std::lock_guard lock(mutex_);
    if (error_ == nullptr || (consequence_ && !consequence)) {
      error_ = error;
      consequence_ = consequence;
    }
  }
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  static bool is_consequence(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const Error& known) {
      return known.code() == Code::aborted || known.code() == Code::peer_lost;
    } catch (...) {
      return false;
    }
  }

  std::mutex mutex_;
  std::exception_ptr error_;
  bool consequence_ = false;
};

}  // namespace

void in_process(int ranks, const std::function<void(Communicator&)>& body, const Config& config) {
  const std::vector<World> worlds = worlds_in_process(ranks);
  Config shared = config;
  if (!shared.topology) shared.topology = from_host_facts(this_host_facts());  // the machine is read once
  FirstFailure failure;
  std::vector<std::thread> threads;
  const auto run = [&](const World& world) {
    std::optional<Communicator> communicator;
    try {
      communicator.emplace(world, shared);
      body(*communicator);
    } catch (...) {
      failure.offer(std::current_exception());
      if (communicator) communicator->abort();
    }
  };
  threads.reserve(worlds.size());
  std::promise<bool> started;  // nobody begins before all are there: a rank that is missing would be waited for
  const std::shared_future<bool> all_there = started.get_future().share();
  std::string refused;
  try {
    for (const World& world : worlds) {
      threads.emplace_back([&] {
        if (all_there.get()) run(world);
      });
    }
  } catch (const std::system_error& error) {
    refused = fmt::format("thread {} of {}: {}", threads.size() + 1, ranks, error.what());
  }
  started.set_value(refused.empty());
  for (std::thread& thread : threads) thread.join();
  if (!refused.empty()) {
    throw Error(Code::resource, refused, {.operation = "in_process", .remedy = "use fewer ranks, or see ulimit -u"});
  }
  failure.rethrow();
}

}  // namespace tutti
