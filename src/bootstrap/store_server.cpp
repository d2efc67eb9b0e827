#include "tutti/bootstrap/store_server.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "bootstrap/connection.hpp"
#include "bootstrap/listening.hpp"
#include "bootstrap/thread.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using handshake::Verdict;

class StoreServer::Loop : public Connection::Listener {
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

StoreServer::Loop::Loop(const Endpoint& endpoint, Admission admission, ServerLimits limits, const std::string& listen)
    : admission_(std::move(admission)),
      limits_(limits),
      table_(std::make_shared<Table>(limits.table_bytes)),
      listening_(open_listening(endpoint, listen)),
      endpoint_(listening_.endpoint),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!epoll_ || !wake_) throw_errno(Code::resource, "opening a store server", "see ulimit -n");
  poll(wake_.fd(), wake_id, EPOLLIN, EPOLL_CTL_ADD);
  listen_for(EPOLLIN, EPOLL_CTL_ADD);
  thread_ = quiet_thread("tutti-store", [this] { run(); });
}

StoreServer::Loop::~Loop() {
  if (::getpid() != pid_) {  // forked: the thread stayed in the parent
    thread_.detach();
    listening_.file.release();
    return;
  }
  stopping_ = true;
  wake();
  thread_.join();
}

void StoreServer::Loop::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.fd(), &one, sizeof(one));  // full: it is awake anyhow
}

void StoreServer::Loop::fired(std::uint64_t id, const Table::Shared& value) {
  {
    const std::scoped_lock lock(fired_mutex_);
    fired_.emplace_back(id, value);
  }
  if (std::this_thread::get_id() != runner_) wake();
}

bool StoreServer::Loop::poll(int fd, std::uint64_t id, std::uint32_t events, int operation) const {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return ::epoll_ctl(epoll_.fd(), operation, fd, &event) == 0;
}

void StoreServer::Loop::listen_for(std::uint32_t events, int operation) const {
  for (std::size_t at = 0; at < listening_.sockets.size(); ++at) {
    poll(listening_.sockets[at].fd(), at + 1, events, operation);
  }
}

void StoreServer::Loop::run() {
  runner_ = std::this_thread::get_id();
  std::array<epoll_event, 64> events;
  while (!over()) {
    const int count = ::epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), patience());
    for (int at = 0; at < count; ++at) {
      const auto id = events[static_cast<std::size_t>(at)].data.u64;
      try {
        handle(id, events[static_cast<std::size_t>(at)].events);
      } catch (const std::exception&) {
        drop(id);  // no memory for this one; the others go on
      }
    }
    deliver();
    expire();
  }
  while (!connections_.empty()) drop(connections_.begin()->first);
  close_listening();
  finished_ = true;
}

bool StoreServer::Loop::over() {
  if (!stopping_ && !retiring_) return false;
  close_listening();
  if (!stopping_) return connections_.empty();
  if (give_up_ == Store::Deadline{}) {
    give_up_ = Clock::now() + 1s;
    while (!strangers_.empty()) drop_oldest_stranger();
    deliver();
  }
  const bool owing =
      std::any_of(connections_.begin(), connections_.end(), [](const auto& each) { return each.second->sending(); });
  return !owing || Clock::now() >= give_up_;
}

int StoreServer::Loop::patience() const {
  auto next = Clock::now() + 1h;
  if (!strangers_.empty()) next = std::min(next, connections_.at(*strangers_.begin())->until);
  if (!waits_.empty()) next = std::min(next, waits_.begin()->first);
  if (deaf_until_ != Store::Deadline{}) next = std::min(next, deaf_until_);
  if (give_up_ != Store::Deadline{}) next = std::min(next, give_up_);
  return milliseconds_until(next);
}

void StoreServer::Loop::close_listening() {
  listening_.sockets.clear();
  deaf_until_ = {};
}

void StoreServer::Loop::accept(int listener) {
  for (int turn = 0; turn < 64; ++turn) {
    auto attempt = accept_from(listener);
    if (attempt.socket) {
      welcome(std::move(attempt.socket));
    } else if (attempt.error == 0) {
      return;
    } else if (!strangers_.empty()) {
      drop_oldest_stranger();  // its descriptor goes to the next
    } else {
      deaf_until_ = Clock::now() + 100ms;
      return listen_for(0, EPOLL_CTL_MOD);
    }
  }
}

void StoreServer::Loop::welcome(UniqueFd socket) {
  if (endpoint_.kind == Endpoint::Kind::unix_socket && peer_user(socket.fd()) != ::geteuid()) return;
  if (strangers_.size() >= limits_.strangers) drop_oldest_stranger();
  const auto id = next_id_++;
  auto connection = std::make_unique<Connection>(std::move(socket), id, admission_, *this);
  connection->until = Clock::now() + limits_.handshake;
  if (!poll(connection->socket.fd(), id, EPOLLIN, EPOLL_CTL_ADD)) return;
  connections_.emplace(id, std::move(connection));
  strangers_.insert(id);
}

Connection* StoreServer::Loop::find(std::uint64_t id) {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second.get();
}

void StoreServer::Loop::handle(std::uint64_t id, std::uint32_t events) {
  if (id == wake_id) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(wake_.fd(), &count, sizeof(count));
    return;
  }
  if (id < first_connection) {
    if (id <= listening_.sockets.size()) accept(listening_.sockets[id - 1].fd());
    return;
  }
  Connection* connection = find(id);
  if (connection == nullptr) return;  // dropped earlier in this turn
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
    if (!connection->receive()) return drop(id);
    if (connection->leaving) {
      connection->in.clear();
    } else if (!connection->member) {
      greet(*connection);
    } else if (!serve(*connection)) {
      return drop(id);
    }
  }
  settle(*connection);
}

// Sends what is to be sent, and closes what is to be closed; `connection` may be gone afterwards.
void StoreServer::Loop::settle(Connection& connection) {
  if (!connection.flush() || (connection.leaving && !connection.sending())) return drop(connection.id);
  if (connection.sending() != connection.polled_out) {
    connection.polled_out = connection.sending();
    const std::uint32_t events = connection.polled_out ? EPOLLIN | EPOLLOUT : EPOLLIN;
    if (!poll(connection.socket.fd(), connection.id, events, EPOLL_CTL_MOD)) drop(connection.id);
  }
}

void StoreServer::Loop::greet(Connection& connection) {
  const Verdict closed = retiring_ ? Verdict::closing : members_ >= limits_.members ? Verdict::full : Verdict::welcome;
  auto answer = connection.greeting.take(connection.in, closed);
  if (connection.greeting.state() == handshake::Greeting::State::admitted) {
    connection.member = true;
    strangers_.erase(connection.id);
    ++members_;
  }
  connection.leaving = connection.greeting.state() == handshake::Greeting::State::refused;
  if (!answer.empty()) connection.send(std::move(answer));
}

// False when the member breaks the rules: it speaks out of turn, or what it says is no request.
bool StoreServer::Loop::serve(Connection& connection) {
  if (connection.sending() || !connection.waits_for.empty()) return false;
  if (connection.in.size() < frame::header_bytes) return true;
  const auto rest = frame::ask_rest(ByteSpan(connection.in).first(frame::header_bytes));
  if (!rest || connection.in.size() > frame::header_bytes + *rest) return false;
  if (connection.in.size() == frame::header_bytes + *rest) {
    const auto whole = std::exchange(connection.in, {});
    execute(connection, frame::decode_ask(whole));
  }
  return true;
}

void StoreServer::Loop::reply(Connection& connection, frame::ReplyHeader header, Table::Shared value) {
  header.value_bytes = value ? static_cast<std::uint32_t>(value->size()) : 0;
  connection.send(frame::encode(header), std::move(value));
}

void StoreServer::Loop::execute(Connection& connection, const frame::Ask& ask) {
  using frame::Status;
  using frame::Verb;
  const auto counted = [&](std::int64_t number) { reply(connection, {.number = number}); };
  const auto found = [&](Table::Shared value) {
    const Status status = value ? Status::done : Status::absent;
    reply(connection, {.status = status}, std::move(value));
  };
  try {
    switch (ask.verb) {
      case Verb::set:
        table_->set(ask.key, ask.value);
        return counted(0);
      case Verb::get:
        return found(table_->get(ask.key));
      case Verb::add:
        return counted(table_->add(ask.key, ask.number));
      case Verb::erase:
        return counted(table_->erase(ask.key) ? 1 : 0);
      case Verb::erase_prefix:
        return counted(static_cast<std::int64_t>(table_->erase_prefix(ask.key)));
      case Verb::wait:
        break;
    }
  } catch (const Error& error) {
    const auto text = bytes_of(error.reason());
    return reply(connection, {.status = Status::failed, .number = static_cast<int>(error.code())},
                 std::make_shared<const Store::Value>(text.begin(), text.end()));
  }
  if (ask.number <= 0) return found(table_->get(ask.key));
  connection.waits_for = ask.key;
  if (auto value = table_->get_or_watch(ask.key, connection)) {
    connection.waits_for.clear();
    return found(std::move(value));
  }
  const auto patience = std::min<std::chrono::milliseconds>(std::chrono::milliseconds(ask.number), 24h * 365);
  connection.until = Clock::now() + patience;
  waits_.emplace(connection.until, connection.id);
}

void StoreServer::Loop::deliver() {
  std::vector<std::pair<std::uint64_t, Table::Shared>> fired;
  {
    const std::scoped_lock lock(fired_mutex_);
    fired.swap(fired_);
  }
  for (auto& [id, value] : fired) {
    Connection* connection = find(id);
    if (connection == nullptr || connection->waits_for.empty()) continue;
    waits_.erase({connection->until, id});
    connection->waits_for.clear();
    reply(*connection, {}, std::move(value));
    settle(*connection);
  }
}

void StoreServer::Loop::expire() {
  const auto now = Clock::now();
  if (deaf_until_ != Store::Deadline{} && now >= deaf_until_) {
    deaf_until_ = {};
    listen_for(EPOLLIN, EPOLL_CTL_MOD);
  }
  while (!strangers_.empty() && connections_.at(*strangers_.begin())->until <= now) drop_oldest_stranger();
  while (!waits_.empty() && waits_.begin()->first <= now) {
    const auto id = waits_.begin()->second;
    Connection& connection = *connections_.at(id);
    table_->unwatch(connection.waits_for, connection);
    deliver();  // it may have been set just before
    if (find(id) != &connection || connection.waits_for.empty()) continue;
    waits_.erase({connection.until, id});
    connection.waits_for.clear();
    reply(connection, {.status = frame::Status::absent});
    settle(connection);
  }
}

void StoreServer::Loop::drop(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  if (!connection.waits_for.empty()) {
    table_->unwatch(connection.waits_for, connection);
    waits_.erase({connection.until, id});
  }
  strangers_.erase(id);
  if (connection.member) --members_;
  connections_.erase(found);
}

StoreServer::StoreServer(const Endpoint& endpoint, Admission admission, ServerLimits limits, const std::string& listen)
    : loop_(std::make_unique<Loop>(endpoint, std::move(admission), limits, listen)) {}

StoreServer::~StoreServer() = default;

std::shared_ptr<Store> StoreServer::store() const { return store_on(loop_->table()); }
Endpoint StoreServer::endpoint() const { return loop_->endpoint(); }
std::size_t StoreServer::members() const { return loop_->members(); }
void StoreServer::retire() { loop_->retire(); }
bool StoreServer::finished() const { return loop_->finished(); }

}  // namespace tutti
