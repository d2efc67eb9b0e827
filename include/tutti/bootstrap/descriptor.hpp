/// @file  Passing file descriptors (a memfd, say) from one rank to others of the same host.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tutti/base/unique_fd.hpp"
#include "tutti/bootstrap/world.hpp"

namespace tutti {

/// Gives `fd` to `receivers` ranks, each of which calls `receive_descriptor` with the same key, and returns
/// when all have it. `fd` stays the caller's, before and after. A key is used for one descriptor.
///
/// Goes over an abstract unix socket with a random name that is published in the store; only processes of the
/// same user, which know the job's secret when there is one, are served. Ranks of one process duplicate it
/// without a socket. Errors: timeout with how many have come; resource.
void share_descriptor(const World& world, std::string_view key, int fd, int receivers, Store::Deadline deadline);

/// The owner's descriptor, as a new one of this process, closed on exec.
/// Errors: timeout; peer_lost when the owner is gone; bootstrap when the owner is another user or does not
/// know the secret.
UniqueFd receive_descriptor(const World& world, std::string_view key, Store::Deadline deadline);

/// Serves descriptors, under any number of keys, to whoever of the job asks, until it goes: for buffers that
/// peers open when they first need them. Its thread and socket start with the first offer; in a one-process
/// World there is neither.
class DescriptorServer {
 public:
  explicit DescriptorServer(World world);
  ~DescriptorServer();
  DescriptorServer(const DescriptorServer&) = delete;
  DescriptorServer& operator=(const DescriptorServer&) = delete;

  /// Publishes a duplicate of `fd` under `key`. Offering a key again replaces it.
  void offer(std::string_view key, int fd);

  /// Takes it back; those who have received it keep theirs.
  void withdraw(std::string_view key);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace tutti
