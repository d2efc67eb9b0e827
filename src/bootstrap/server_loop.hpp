/// @file  StoreServer::Loop: the thread of a store server, its connections and their time limits.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bootstrap/connection.hpp"
#include "bootstrap/listening.hpp"
#include "tutti/bootstrap/store_server.hpp"

namespace tutti {

class StoreServer::Loop final : public Connection::Listener {
 public:
  Loop(const Endpoint& endpoint, Admission admission, ServerLimits limits, const std::string& listen);
  ~Loop();

  std::shared_ptr<Table> table() const { return table_; }
  const Endpoint& endpoint() const { return endpoint_; }
  std::size_t members() const { return members_; }
  bool finished() const { return finished_; }
  void retire() {
    retiring_ = true;
    wake();
  }

 private:
  static constexpr std::uint64_t wake_id = 0;  // then the listening sockets, then the connections
  static constexpr std::uint64_t first_connection = 1000;

  void wake() const;
  void fired(std::uint64_t id, const Table::Shared& value) override;
  bool poll(int fd, std::uint64_t id, std::uint32_t events, int operation) const;
  void listen_for(std::uint32_t events, int operation) const;

  void run();
  bool over();
  int patience() const;
  void close_listening();
  void accept(int listener);
  void welcome(UniqueFd socket);
  void handle(std::uint64_t id, std::uint32_t events);
  void greet(Connection& connection);
  bool serve(Connection& connection);
  void execute(Connection& connection, const frame::Ask& ask);
  void reply(Connection& connection, frame::ReplyHeader header, Table::Shared value = nullptr);
  void settle(Connection& connection);
  void deliver();
  void expire();
  void drop(std::uint64_t id);
  void drop_oldest_stranger() { drop(*strangers_.begin()); }
  Connection* find(std::uint64_t id);

  const Admission admission_;
  const ServerLimits limits_;
  const std::shared_ptr<Table> table_;
  Listening listening_;  // the thread's, once it runs
  const Endpoint endpoint_;
  UniqueFd epoll_, wake_;
  const pid_t pid_ = ::getpid();

  std::atomic<bool> stopping_{false}, retiring_{false}, finished_{false};
  std::atomic<std::size_t> members_{0};
  std::mutex fired_mutex_;
  std::vector<std::pair<std::uint64_t, Table::Shared>> fired_;  // guarded by fired_mutex_

  // The thread's alone.
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::set<std::uint64_t> strangers_;  // ids grow: the first is the oldest
  std::set<std::pair<Store::Deadline, std::uint64_t>> waits_;
  std::uint64_t next_id_ = first_connection;
  Store::Deadline deaf_until_{};  // no descriptors left: don't accept before
  Store::Deadline give_up_{};     // when stopping

  std::atomic<std::thread::id> runner_{};
  std::thread thread_;
};

}  // namespace tutti
