#include "bootstrap/server_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include "bootstrap/thread.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

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
    try {
      deliver();
      expire();
    } catch (const std::bad_alloc&) {
      // whoever was owed a reply runs into its own deadline
    }
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

}  // namespace tutti
