#include "bootstrap/connection.hpp"

#include <sys/uio.h>

#include <array>
#include <cerrno>

namespace tutti {

bool Connection::receive() {
  std::array<std::byte, 65536> chunk;
  for (;;) {
    const auto received = ::recv(socket.fd(), chunk.data(), chunk.size(), 0);
    if (received > 0) {
      in.insert(in.end(), chunk.begin(), chunk.begin() + received);
      return true;  // the rest later: the others have their turn
    }
    if (received == 0) return false;
    if (errno == EAGAIN) return true;
    if (errno != EINTR) return false;
  }
}

void Connection::send(std::vector<std::byte> head, Table::Shared value) {
  head_ = std::move(head);
  value_ = std::move(value);
  sent_ = 0;
}

bool Connection::flush() {
  while (sending()) {
    std::array<iovec, 2> parts{};
    std::size_t count = 0;
    const std::size_t head_sent = std::min(sent_, head_.size());
    const auto add = [&](const std::byte* data, std::size_t size) {
      if (size > 0) parts[count++] = {const_cast<std::byte*>(data), size};
    };
    add(head_.data() + head_sent, head_.size() - head_sent);
    if (value_) add(value_->data() + (sent_ - head_sent), value_->size() - (sent_ - head_sent));
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const auto sent = ::sendmsg(socket.fd(), &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      sent_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      return true;
    } else if (errno != EINTR) {
      return false;
    }
  }
  send({});  // lets go of the value
  return true;
}

}  // namespace tutti
