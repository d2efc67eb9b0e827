/// @file  What a store server does with what its connections say, and when their time is over.
#include <sys/epoll.h>

#include <algorithm>

#include "bootstrap/server_loop.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

using namespace std::chrono_literals;
using handshake::Verdict;
using Clock = std::chrono::steady_clock;

void StoreServer::Loop::greet(Connection& connection) {
  using State = handshake::Greeting::State;
  const Verdict closed = retiring_ ? Verdict::closing : members_ >= limits_.members ? Verdict::full : Verdict::welcome;
  std::vector<std::byte> answers;
  for (;;) {  // Hello and Proof may come in one piece
    const auto answer = connection.greeting.take(connection.in, closed);
    answers.insert(answers.end(), answer.begin(), answer.end());
    if (answer.empty() || connection.greeting.state() != State::unfinished) break;
  }
  if (connection.greeting.state() == State::admitted) {
    connection.member = true;
    strangers_.erase(connection.id);
    ++members_;
  }
  connection.leaving = connection.greeting.state() == State::refused;
  if (!answers.empty()) connection.send(std::move(answers));
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

}  // namespace tutti
