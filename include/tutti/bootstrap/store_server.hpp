/// @file  StoreServer and connect_store: one table for many processes, over TCP or a unix socket.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "tutti/bootstrap/endpoint.hpp"
#include "tutti/bootstrap/store.hpp"

namespace tutti {

/// Who may use a store: processes that name the same job and, when there is a secret, prove that they know
/// it.
struct Admission {
  std::string job;     ///< at most 255 bytes
  std::string secret;  ///< any length; empty: none
};

/// What a server puts up with. The defaults suit a job of any size.
struct ServerLimits {
  std::size_t members = 262'144;               ///< admitted connections
  std::size_t strangers = 256;                 ///< connections not admitted yet; the oldest goes when one more comes
  std::chrono::milliseconds handshake{5'000};  ///< a stranger that is not admitted by then goes
  std::size_t table_bytes = std::size_t{1} << 30;  ///< keys and values together
};

/// Serves a table to other processes from one thread. Whoever fails to prove itself is told why in one frame
/// and dropped.
///
/// Traffic after the handshake is not encrypted: TCP stores belong on a network of the cluster.
class StoreServer {
 public:
  /// Listens at once. `listen` names the address or interface ("10.0.0.3", "::1", "eth0") to listen on
  /// instead of the endpoint's host; "*" is every interface. Throws Error(resource) when the address is in
  /// use, Error(bootstrap) when it is not an address of this machine.
  StoreServer(const Endpoint& endpoint, Admission admission, ServerLimits limits = {}, const std::string& listen = {});

  /// Sends what it still owes and hangs up on everybody.
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  /// The table itself, for the process that serves it: no socket is touched. It outlives the server.
  std::shared_ptr<Store> store() const;

  /// Where it listens, with the port it was given.
  Endpoint endpoint() const;

  /// Connections admitted now.
  std::size_t members() const;

  /// Admits nobody from now on and ends when the last member has hung up. Does not block.
  void retire();

  /// True once a retired server has ended.
  bool finished() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

/// Connects to a server and keeps trying until it is there or the deadline passes: rank 0 may start later
/// than the others. A server of another job or version, or one that does not know the secret, is
/// Error(bootstrap) that says which, at once. `while_waiting` is called now and then between attempts.
std::shared_ptr<Store> connect_store(const Endpoint& endpoint, const Admission& admission, Store::Deadline deadline,
                                     const std::function<void()>& while_waiting = {});

}  // namespace tutti
