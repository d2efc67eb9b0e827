/// @file  Random numbers, proofs of knowing a secret, digests; the one place that calls the cryptographic
/// library.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "bootstrap/bytes.hpp"

namespace tutti {

using Nonce = std::array<std::byte, 32>;  ///< a random number used once, so that an old proof proves nothing
using Proof = std::array<std::byte, 32>;

Nonce random_nonce();

/// 32 hexadecimal digits that nobody can guess.
std::string random_name();

/// HMAC-SHA256 under `secret` of the role and everything said so far; the role keeps a proof from being sent
/// back.
Proof prove(std::string_view secret, std::string_view role, std::initializer_list<ByteSpan> said);

/// Compares in a time that does not depend on where they differ.
bool same_proof(ByteSpan a, ByteSpan b);

/// 16 bytes of a hash as hexadecimal digits: a short name for a long one.
std::string digest_name(std::string_view text);

}  // namespace tutti
