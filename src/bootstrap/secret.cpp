#include "bootstrap/secret.hpp"

#include <sodium.h>

#include "tutti/base/error.hpp"

namespace tutti {

namespace {

void start_library() {
  static const int started = sodium_init();  // 1: it was started before
  expect(started >= 0, Code::internal, "the cryptographic library does not start");
}

const unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }
unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

std::string hexadecimal(ByteSpan bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), raw(bytes.data()), bytes.size());
  text.pop_back();
  return text;
}

}  // namespace

Nonce random_nonce() {
  start_library();
  Nonce nonce;
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

std::string random_name() { return hexadecimal(ByteSpan(random_nonce()).first(16)); }

Proof prove(std::string_view secret, std::string_view role, std::initializer_list<ByteSpan> said) {
  start_library();
  static_assert(sizeof(Proof) == crypto_auth_hmacsha256_BYTES);
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, raw(bytes_of(secret).data()), secret.size());
  const auto add = [&state](ByteSpan part) {
    // Each part with its length before it: no two lists of parts look alike.
    const auto length = ByteWriter().u64(part.size()).take();
    crypto_auth_hmacsha256_update(&state, raw(length.data()), length.size());
    crypto_auth_hmacsha256_update(&state, raw(part.data()), part.size());
  };
  add(bytes_of(role));
  for (const ByteSpan part : said) add(part);
  Proof proof;
  crypto_auth_hmacsha256_final(&state, raw(proof.data()));
  sodium_memzero(&state, sizeof(state));
  return proof;
}

bool same_proof(ByteSpan a, ByteSpan b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string digest_name(std::string_view text) {
  start_library();
  std::array<std::byte, 16> hash;
  crypto_generichash(raw(hash.data()), hash.size(), raw(bytes_of(text).data()), text.size(), nullptr, 0);
  return hexadecimal(hash);
}

}  // namespace tutti
