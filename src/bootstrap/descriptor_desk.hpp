/// @file  DescriptorDesk: the owner's side of handing over descriptors, to many receivers at once.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/handover.hpp"
#include "tutti/bootstrap/store.hpp"

namespace tutti {

class DescriptorDesk {
 public:
  /// Listens at a random name. Throws Error(resource).
  explicit DescriptorDesk(std::string secret);

  const std::string& name() const { return name_; }

  /// From any thread, also while `serve` runs.
  void offer(const std::string& token, UniqueFd fd);
  void withdraw(const std::string& token);

  /// Serves on this thread until `receivers` have got one, or the deadline passes, or `stop` is called. Returns how many
  /// have got one.
  int serve(int receivers, Store::Deadline deadline);
  void stop();
  bool stopped() const { return stopping_; }

 private:
  struct Visitor {
    UniqueFd socket;
    Nonce nonce;
    std::vector<std::byte> request;
    Store::Deadline until;
    bool finished = false;
  };

  void let_in();
  void attend(Visitor& visitor);
  Store::Deadline earliest(Store::Deadline deadline) const;

  const std::string secret_;
  const std::string name_ = "fd-" + random_name();
  UniqueFd listener_, wake_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::map<std::string, UniqueFd> offers_;  // by token; guarded by mutex_
  std::vector<Visitor> visitors_;           // the serving thread's
  int given_ = 0;
};

}  // namespace tutti
