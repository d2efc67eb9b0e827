/// @file  The handshake of a store: who may come in. Bytes to bytes, no sockets, so that every lie can be
/// tested.
///
///     client                                        server
///     Hello: magic, protocol, job, version, nonce →
///                                                 ← Answer: magic, protocol, verdict, version, nonce
///     Proof: HMAC over Hello and Answer           →
///                                                 ← Verdict, HMAC over Hello and Answer
///
/// Both nonces are in both proofs: a recorded handshake proves nothing the next time. The client proves
/// first, so that a stranger cannot collect proofs from the server. Without a secret the proofs are made with
/// an empty one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/bytes.hpp"
#include "bootstrap/secret.hpp"
#include "tutti/bootstrap/store_server.hpp"

namespace tutti::handshake {

/// Changes whenever the bytes of handshake or frames do.
inline constexpr std::uint16_t protocol = 1;

enum class Verdict : std::uint8_t {
  welcome = 0,
  wrong_protocol = 1,
  wrong_job = 2,
  wrong_version = 3,
  secret_missing = 4,     ///< the server has a secret, the client has none
  secret_unexpected = 5,  ///< the other way round
  wrong_secret = 6,
  full = 7,
  closing = 8,
};

/// "0.1.0": ranks of different versions do not talk.
std::string_view library_version();

inline constexpr std::size_t hello_bytes = 48;   ///< the fixed part, before the texts
inline constexpr std::size_t answer_bytes = 48;  ///< likewise
inline constexpr std::size_t last_bytes = 1 + sizeof(Proof);
inline constexpr std::size_t max_text = 255;

struct Hello {
  std::uint16_t protocol = handshake::protocol;
  bool has_secret = false;
  std::string job;
  std::string version;
  Nonce nonce{};
};

struct Answer {
  std::uint16_t protocol = handshake::protocol;
  Verdict verdict = Verdict::welcome;
  std::string version;
  Nonce nonce{};
};

std::vector<std::byte> encode(const Hello& hello);
std::vector<std::byte> encode(const Answer& answer);

/// How many bytes follow the fixed part; nothing when it is not such a part at all. `fixed` has hello_bytes
/// or answer_bytes. Of another protocol's answer only the beginning is meaningful, so no more bytes are asked
/// for.
std::optional<std::size_t> hello_rest(ByteSpan fixed);
std::optional<std::size_t> answer_rest(ByteSpan fixed);

/// All bytes of one, after the functions above approved.
Hello decode_hello(ByteSpan all);
Answer decode_answer(ByteSpan all);

/// What the server thinks of a Hello.
Verdict judge(const Hello& hello, const Admission& admission);

/// The two proofs over the exact bytes that were exchanged.
Proof client_proof(std::string_view secret, ByteSpan hello, ByteSpan answer);
Proof server_proof(std::string_view secret, ByteSpan hello, ByteSpan answer);

/// What a refused client should read: "it serves another job than "x"".
std::string explain(Verdict verdict, const Answer& answer, const Admission& mine);

/// One stranger, as the server sees it: feed it bytes, send what it returns.
class Greeting {
 public:
  enum class State { unfinished, admitted, refused };

  Greeting(const Admission& admission, const Nonce& nonce) : admission_(admission), nonce_(nonce) {}

  /// Takes from the front of `in` what belongs to the handshake; returns what to send back. In the state
  /// `refused` the connection is to be closed once that is sent. `closed`: what a good Hello is told instead
  /// of a welcome.
  std::vector<std::byte> take(std::vector<std::byte>& in, Verdict closed);
  State state() const { return state_; }

 private:
  std::vector<std::byte> take_hello(std::vector<std::byte>& in, Verdict closed);
  std::vector<std::byte> take_proof(std::vector<std::byte>& in);
  std::vector<std::byte> refuse();

  const Admission& admission_;
  Nonce nonce_;
  State state_ = State::unfinished;
  std::vector<std::byte> hello_, answer_;  // as they went over the wire
};

}  // namespace tutti::handshake
