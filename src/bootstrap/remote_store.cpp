#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "bootstrap/connect.hpp"
#include "bootstrap/frame.hpp"
#include "bootstrap/socket.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Reply {
  frame::Status status;
  std::int64_t number;
  Store::Value value;
};

// Each call borrows a connection for one request and its reply; a thread that waits keeps its own meanwhile.
class RemoteStore : public Store {
 public:
  RemoteStore(Connected connected, Admission admission)
      : endpoint_(std::move(connected.endpoint)), admission_(std::move(admission)) {
    idle_.push_back(std::move(connected.socket));
  }

 private:
  // The server answers at once, unless a wait tells it to take its time; more than this and it is not there
  // any more.
  static constexpr Clock::duration answer_time = 30s;
  static constexpr Clock::duration connect_time = 10s;

  Error lost(const char* why) const {
    return Error(Code::peer_lost, fmt::format("{} ({})", why, to_string(endpoint_)),
                 {.operation = "store", .peer = 0, .remedy = "rank 0, which serves it, has ended or was killed"});
  }

  UniqueFd borrow() {
    if (::getpid() != pid_) {
      throw Error(Code::invalid_argument, "this process was forked from the one that opened the store",
                  {.remedy = "open stores and communicators after fork"});
    }
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        UniqueFd socket = std::move(idle_.back());
        idle_.pop_back();
        return socket;
      }
    }
    const auto deadline = Clock::now() + connect_time;
    for (;;) {
      auto attempt = try_connect(endpoint_, admission_, deadline);
      if (attempt.outcome == Admitted::Outcome::in) return std::move(attempt.socket);
      // Its queue may be full for a moment; but where nobody listens any more, nobody will.
      const bool busy = attempt.outcome == Admitted::Outcome::absent && !attempt.gone;
      if (!busy || Clock::now() >= deadline) throw lost(attempt.why.c_str());
      std::this_thread::sleep_for(5ms);
    }
  }

  Reply exchange(const frame::Ask& ask, Clock::duration patience) {
    UniqueFd socket = borrow();
    const auto deadline = Clock::now() + std::min<Clock::duration>(patience, 24h * 365) + answer_time;
    if (send_all(socket.fd(), frame::encode(ask), deadline) != SocketResult::done) throw lost("the connection is gone");
    std::array<std::byte, frame::header_bytes> bytes{};
    receive(socket.fd(), bytes, deadline);
    const auto header = frame::decode_reply(bytes);
    if (!header) throw lost("the answer makes no sense");
    Reply reply{header->status, header->number, Value(header->value_bytes)};
    receive(socket.fd(), reply.value, deadline);
    {
      const std::scoped_lock lock(mutex_);
      idle_.push_back(std::move(socket));
    }
    if (reply.status == frame::Status::failed) {
      throw Error(static_cast<Code>(reply.number), printable(text_of(reply.value)),
                  {.operation = fmt::format("store key \"{}\"", printable(ask.key))});
    }
    return reply;
  }

  void receive(int socket, std::span<std::byte> bytes, Deadline deadline) const {
    switch (receive_all(socket, bytes, deadline)) {
      case SocketResult::done:
        return;
      case SocketResult::closed:
        throw lost("the connection is gone");
      case SocketResult::timeout:
        throw lost("the server does not answer");
    }
  }

  static std::optional<Value> value_in(Reply reply) {
    if (reply.status == frame::Status::absent) return std::nullopt;
    return std::move(reply.value);
  }

  void do_set(std::string_view key, std::span<const std::byte> value) override {
    exchange({.verb = frame::Verb::set, .key = key, .value = value}, 0s);
  }
  std::optional<Value> do_get(std::string_view key) override {
    return value_in(exchange({.verb = frame::Verb::get, .key = key}, 0s));
  }
  std::optional<Value> do_wait(std::string_view key, Deadline deadline) override {
    for (;;) {
      // Waits of more than an hour ask again every hour.
      const int milliseconds = milliseconds_until(deadline);
      auto value = value_in(exchange({.verb = frame::Verb::wait, .key = key, .number = milliseconds},
                                     std::chrono::milliseconds(milliseconds)));
      if (value || Clock::now() >= deadline) return value;
    }
  }
  std::int64_t do_add(std::string_view key, std::int64_t delta) override {
    return exchange({.verb = frame::Verb::add, .key = key, .number = delta}, 0s).number;
  }
  bool do_erase(std::string_view key) override {
    return exchange({.verb = frame::Verb::erase, .key = key}, 0s).number != 0;
  }
  std::size_t do_erase_prefix(std::string_view prefix) override {
    return static_cast<std::size_t>(exchange({.verb = frame::Verb::erase_prefix, .key = prefix}, 0s).number);
  }

  const Endpoint endpoint_;
  const Admission admission_;
  const pid_t pid_ = ::getpid();
  std::mutex mutex_;
  std::vector<UniqueFd> idle_;  // guarded by mutex_
};

}  // namespace

std::shared_ptr<Store> remote_store(Connected connected, Admission admission) {
  return std::make_shared<RemoteStore>(std::move(connected), std::move(admission));
}

}  // namespace tutti
