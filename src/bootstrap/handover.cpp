#include "bootstrap/handover.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "tutti/bootstrap/store.hpp"

namespace tutti::handover {

namespace {

std::string key_of(std::string_view secret, std::string_view token) {
  return std::string(token) + std::string(secret);  // the token's length is fixed
}

Proof receiver_proof(std::string_view secret, const Nonce& owners, ByteSpan mine, ByteSpan token) {
  return prove(key_of(secret, text_of(token)), "tutti descriptor receiver", {owners, mine});
}

}  // namespace

std::string encode(const Ticket& ticket) {
  return fmt::format("{} {} {}", ticket.token, ticket.receivers, ticket.name);
}

Ticket decode(const std::string& text) {
  Ticket ticket;
  const auto first = text.find(' ');
  const auto second = text.find(' ', first == std::string::npos ? first : first + 1);
  if (second == std::string::npos) return ticket;
  ticket.token = text.substr(0, first);
  std::from_chars(text.data() + first + 1, text.data() + second, ticket.receivers);
  ticket.name = text.substr(second + 1);
  return ticket;
}

std::vector<std::byte> request(std::string_view secret, const Nonce& owners, const Nonce& mine,
                               std::string_view token) {
  return ByteWriter()
      .bytes(mine)
      .bytes(bytes_of(token))
      .bytes(receiver_proof(secret, owners, mine, bytes_of(token)))
      .take();
}

std::optional<std::string> token_in(std::string_view secret, const Nonce& owners, ByteSpan request) {
  ByteReader reader(request);
  const auto nonce = reader.bytes(sizeof(Nonce));
  const auto token = reader.bytes(token_bytes);
  if (!same_proof(reader.bytes(sizeof(Proof)), receiver_proof(secret, owners, nonce, token))) return std::nullopt;
  return text_of(token);
}

Proof owner_proof(std::string_view secret, const Nonce& owners, ByteSpan request) {
  ByteReader reader(request);
  const auto nonce = reader.bytes(sizeof(Nonce));
  const auto token = reader.bytes(token_bytes);
  return prove(key_of(secret, text_of(token)), "tutti descriptor owner", {owners, nonce});
}

bool send_descriptor(int socket, const Proof& proof, int fd) {
  iovec part{const_cast<std::byte*>(proof.data()), proof.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof(int));
  // 32 bytes always fit into a socket that has carried nothing but a nonce.
  ssize_t sent = 0;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(proof.size());
}

Received receive_descriptor(int socket) {
  Received received;
  iovec part{received.proof.data(), received.proof.size()};
  // Room for more than one, so that a liar's surplus can be closed.
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 8)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t length = 0;
  do length = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (length < 0 && errno == EINTR);
  if (length < 0) {
    received.closed = true;
    return received;
  }
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t at = 0; at < count; ++at) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + at * sizeof(int), sizeof(int));
      UniqueFd owned(fd);
      if (!received.fd) received.fd = std::move(owned);
    }
  }
  received.closed = length != static_cast<ssize_t>(received.proof.size());
  received.truncated = (message.msg_flags & MSG_CTRUNC) != 0;
  return received;
}

}  // namespace tutti::handover
