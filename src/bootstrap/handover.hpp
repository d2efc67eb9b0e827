/// @file  Handover: how a descriptor travels between two processes. The owner listens at a random abstract name; the name
///        and a random token lie in the store, so that whoever knows the token has the store's trust.
///
///     owner                                         receiver
///     nonce →
///                                                 ← nonce, token, HMAC over both nonces
///     HMAC over both nonces, and the descriptor →
///
/// The HMAC's key is the ticket's key and the job's secret together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/secret.hpp"
#include "tutti/base/unique_fd.hpp"

namespace tutti::handover {

/// What the owner publishes under the descriptor's key.
struct Ticket {
  std::string name;   ///< of the owner's abstract socket; empty: the owner's own process keeps the descriptor
  std::string token;  ///< 32 hexadecimal digits: which descriptor
  int receivers = 0;  ///< how many are expected; 0: any number
};

std::string encode(const Ticket& ticket);
Ticket decode(const std::string& text);

inline constexpr std::size_t token_bytes = 32;
inline constexpr std::size_t request_bytes = sizeof(Nonce) + token_bytes + sizeof(Proof);

/// What the receiver sends.
std::vector<std::byte> request(std::string_view secret, const Nonce& owners, const Nonce& mine, std::string_view token);

/// The token in a request, if the proof in it is right for this secret.
std::optional<std::string> token_in(std::string_view secret, const Nonce& owners, ByteSpan request);

/// The owner's proof.
Proof owner_proof(std::string_view secret, const Nonce& owners, ByteSpan request);

/// Sends the proof and the descriptor in one message; false when the receiver has gone.
bool send_descriptor(int socket, const Proof& proof, int fd);

/// What came with the message: the proof, and the descriptor, which is closed on exec.
struct Received {
  Proof proof{};
  UniqueFd fd;
  bool closed = false;     ///< the owner hung up
  bool truncated = false;  ///< there was one, but this process has no descriptors left
};

/// Takes one message that is ready. Whatever descriptors came in it are owned or closed.
Received receive_descriptor(int socket);

}  // namespace tutti::handover
