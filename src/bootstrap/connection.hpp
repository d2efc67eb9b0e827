/// @file  Connection: one socket of a store server and what it has still to send.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bootstrap/frame.hpp"
#include "bootstrap/handshake.hpp"
#include "bootstrap/socket.hpp"
#include "bootstrap/table.hpp"

namespace tutti {

/// Used by the server's thread alone, but for `fire`.
class Connection : public Table::Watch {
 public:
  /// Told, under the table's lock, that the key this connection waits for is there.
  class Listener {
   public:
    virtual void fired(std::uint64_t id, const Table::Shared& value) = 0;

   protected:
    ~Listener() = default;
  };

  Connection(UniqueFd socket, std::uint64_t id, const Admission& admission, Listener& listener)
      : socket(std::move(socket)), id(id), greeting(admission, random_nonce()), listener_(listener) {}

  void fire(const Table::Shared& value) override { listener_.fired(id, value); }

  /// Takes what has come; false when the other side has hung up.
  bool receive();

  /// Sends what can be sent now; false when the other side has hung up.
  bool flush();

  void send(std::vector<std::byte> head, Table::Shared value = nullptr);
  bool sending() const { return sent_ < head_.size() + (value_ ? value_->size() : 0); }

  const UniqueFd socket;
  const std::uint64_t id;
  handshake::Greeting greeting;
  std::vector<std::byte> in;
  bool member = false;
  bool leaving = false;     // to be closed once everything is sent
  bool polled_out = false;  // the poll is asked for room to send
  std::string waits_for;    // a key, while a wait is under way
  Store::Deadline until{};  // of the handshake, then of the wait

 private:
  Listener& listener_;
  std::vector<std::byte> head_;
  Table::Shared value_;
  std::size_t sent_ = 0;
};

}  // namespace tutti
