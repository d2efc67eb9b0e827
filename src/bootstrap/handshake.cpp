#include "bootstrap/handshake.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::handshake {

namespace {

constexpr std::string_view hello_magic = "tutti>s1";
constexpr std::string_view answer_magic = "tutti<s1";

bool begins_with(ByteSpan bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), bytes_of(magic));
}

Nonce nonce_from(ByteSpan bytes) {
  Nonce nonce{};
  std::ranges::copy(bytes.first(std::min(bytes.size(), nonce.size())), nonce.begin());
  return nonce;
}

std::string_view limited(std::string_view text) { return text.substr(0, max_text); }

}  // namespace

std::string_view library_version() { return TUTTI_VERSION; }

// Hello: magic 8, protocol 2, flags 1, job length 1, version length 1, zeros 3, nonce 32; job, version.
std::vector<std::byte> encode(const Hello& hello) {
  const auto job = limited(hello.job);
  const auto version = limited(hello.version);
  return ByteWriter()
      .bytes(bytes_of(hello_magic))
      .u16(hello.protocol)
      .u8(hello.has_secret ? 1 : 0)
      .u8(static_cast<std::uint8_t>(job.size()))
      .u8(static_cast<std::uint8_t>(version.size()))
      .u8(0)
      .u16(0)
      .bytes(hello.nonce)
      .bytes(bytes_of(job))
      .bytes(bytes_of(version))
      .take();
}

// Answer: magic 8, protocol 2, verdict 1, version length 1, zeros 4, nonce 32; version.
std::vector<std::byte> encode(const Answer& answer) {
  const auto version = limited(answer.version);
  return ByteWriter()
      .bytes(bytes_of(answer_magic))
      .u16(answer.protocol)
      .u8(static_cast<std::uint8_t>(answer.verdict))
      .u8(static_cast<std::uint8_t>(version.size()))
      .u32(0)
      .bytes(answer.nonce)
      .bytes(bytes_of(version))
      .take();
}

std::optional<std::size_t> hello_rest(ByteSpan fixed) {
  if (!begins_with(fixed, hello_magic)) return std::nullopt;
  ByteReader reader(fixed.subspan(hello_magic.size()));
  if (reader.u16() != protocol) return 0;
  reader.u8();
  const std::size_t job = reader.u8();
  return job + reader.u8();
}

std::optional<std::size_t> answer_rest(ByteSpan fixed) {
  if (!begins_with(fixed, answer_magic)) return std::nullopt;
  ByteReader reader(fixed.subspan(answer_magic.size()));
  if (reader.u16() != protocol) return 0;
  reader.u8();
  return reader.u8();
}

Hello decode_hello(ByteSpan all) {
  ByteReader reader(all.subspan(hello_magic.size()));
  Hello hello;
  hello.protocol = reader.u16();
  if (hello.protocol != protocol) return hello;
  hello.has_secret = (reader.u8() & 1) != 0;
  const std::size_t job = reader.u8();
  const std::size_t version = reader.u8();
  reader.bytes(3);
  hello.nonce = nonce_from(reader.bytes(sizeof(Nonce)));
  hello.job = text_of(reader.bytes(job));
  hello.version = text_of(reader.bytes(version));
  return hello;
}

Answer decode_answer(ByteSpan all) {
  ByteReader reader(all.subspan(answer_magic.size()));
  Answer answer;
  answer.protocol = reader.u16();
  answer.verdict = static_cast<Verdict>(reader.u8());
  if (answer.protocol != protocol) answer.verdict = Verdict::wrong_protocol;
  const std::size_t version = reader.u8();
  reader.u32();
  answer.nonce = nonce_from(reader.bytes(sizeof(Nonce)));
  answer.version = text_of(reader.bytes(version));
  return answer;
}

Verdict judge(const Hello& hello, const Admission& admission) {
  if (hello.protocol != protocol) return Verdict::wrong_protocol;
  if (hello.job != limited(admission.job)) return Verdict::wrong_job;
  if (hello.version != library_version()) return Verdict::wrong_version;
  if (!hello.has_secret && !admission.secret.empty()) return Verdict::secret_missing;
  if (hello.has_secret && admission.secret.empty()) return Verdict::secret_unexpected;
  return Verdict::welcome;
}

Proof client_proof(std::string_view secret, ByteSpan hello, ByteSpan answer) {
  return prove(secret, "tutti store client", {hello, answer});
}

Proof server_proof(std::string_view secret, ByteSpan hello, ByteSpan answer) {
  return prove(secret, "tutti store server", {hello, answer});
}

std::string explain(Verdict verdict, const Answer& answer, const Admission& mine) {
  switch (verdict) {
    case Verdict::welcome:
      return "it agreed";
    case Verdict::wrong_protocol:
      return fmt::format("wrong version: it speaks protocol {}, this process protocol {}", answer.protocol, protocol);
    case Verdict::wrong_job:
      return fmt::format("wrong job: it does not serve job \"{}\"", printable(mine.job));
    case Verdict::wrong_version:
      return fmt::format("wrong version: it runs tutti {}, this process tutti {}", printable(answer.version),
                         library_version());
    case Verdict::secret_missing:
      return "wrong secret: the job has a secret and this process was given none";
    case Verdict::secret_unexpected:
      return "wrong secret: this process has a secret and the server was given none";
    case Verdict::wrong_secret:
      return "wrong secret: this process and the server hold different ones";
    case Verdict::full:
      return "it is full: no more connections are admitted";
    case Verdict::closing:
      return "its job is ending";
  }
  return "it refused for a reason that this version does not know";
}

std::vector<std::byte> Greeting::refuse() {
  state_ = State::refused;
  return {};
}

std::vector<std::byte> Greeting::take(std::vector<std::byte>& in, Verdict closed) {
  return answer_.empty() ? take_hello(in, closed) : take_proof(in);
}

std::vector<std::byte> Greeting::take_hello(std::vector<std::byte>& in, Verdict closed) {
  // Garbage is known by its first bytes; nobody is kept waiting for 48 of them.
  const auto checked = std::min(in.size(), hello_magic.size());
  if (!std::ranges::equal(ByteSpan(in).first(checked), bytes_of(hello_magic.substr(0, checked)))) return refuse();
  if (in.size() < hello_bytes) return {};
  const auto rest = hello_rest(ByteSpan(in).first(hello_bytes));
  if (!rest) return refuse();
  const std::size_t size = hello_bytes + *rest;
  if (in.size() < size) return {};
  hello_.assign(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(size));
  in.erase(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(size));

  Answer answer{.version = std::string(library_version()), .nonce = nonce_};
  answer.verdict = judge(decode_hello(hello_), admission_);
  if (answer.verdict == Verdict::welcome) answer.verdict = closed;
  if (answer.verdict != Verdict::welcome) state_ = State::refused;
  answer_ = encode(answer);
  return answer_;
}

std::vector<std::byte> Greeting::take_proof(std::vector<std::byte>& in) {
  if (in.size() < sizeof(Proof)) return {};
  const bool good = same_proof(ByteSpan(in).first(sizeof(Proof)), client_proof(admission_.secret, hello_, answer_));
  in.erase(in.begin(), in.begin() + sizeof(Proof));
  state_ = good ? State::admitted : State::refused;
  ByteWriter last;
  last.u8(static_cast<std::uint8_t>(good ? Verdict::welcome : Verdict::wrong_secret));
  // Whoever does not know the secret learns nothing that is made from it.
  last.bytes(good ? server_proof(admission_.secret, hello_, answer_) : Proof{});
  return last.take();
}

}  // namespace tutti::handshake
