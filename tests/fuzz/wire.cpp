/// @file  Bytes from strangers: the frames and handshake of a store, and the requests for descriptors.
#include <algorithm>
#include <string>
#include <vector>

#include "bootstrap/frame.hpp"
#include "bootstrap/handover.hpp"
#include "bootstrap/handshake.hpp"
#include "harness.hpp"

using namespace tutti;

namespace {

void frames(ByteSpan input) {
  if (input.size() < frame::header_bytes) return;
  if (const auto rest = frame::ask_rest(input.first(frame::header_bytes))) {
    const ByteSpan all = input.first(std::min(input.size(), frame::header_bytes + *rest));
    const frame::Ask ask = frame::decode_ask(all);
    if (all.size() == frame::header_bytes + *rest) {
      fuzz::expect(std::ranges::equal(frame::encode(ask), all), "a request is written as it was read");
    }
  }
  if (const auto reply = frame::decode_reply(input.first(frame::header_bytes))) {
    fuzz::expect(std::ranges::equal(frame::encode(*reply), input.first(frame::header_bytes)),
                 "a reply is written as it was read");
  }
}

void answers(ByteSpan input) {
  if (input.size() < handshake::answer_bytes) return;
  if (const auto rest = handshake::answer_rest(input.first(handshake::answer_bytes))) {
    if (input.size() < handshake::answer_bytes + *rest) return;
    const auto answer = handshake::decode_answer(input.first(handshake::answer_bytes + *rest));
    handshake::explain(answer.verdict, answer, Admission{});
  }
}

/// A stranger who sends the input in pieces whose length the first byte says.
void greeting(ByteSpan input) {
  if (input.empty()) return;
  const std::size_t piece = 1 + std::to_integer<std::size_t>(input[0]);
  const Admission admission{.job = "job", .secret = "secret"};
  handshake::Greeting greeting(admission, Nonce{});
  std::vector<std::byte> in;
  for (std::size_t at = 1; at < input.size() && greeting.state() == handshake::Greeting::State::unfinished;
       at += piece) {
    const ByteSpan part = input.subspan(at, std::min(piece, input.size() - at));
    in.insert(in.end(), part.begin(), part.end());
    greeting.take(in, handshake::Verdict::welcome);
  }
  fuzz::expect(greeting.state() != handshake::Greeting::State::admitted, "nobody comes in without the secret");
}

void descriptors(ByteSpan input) {
  const std::string text(reinterpret_cast<const char*>(input.data()), input.size());
  const handover::Ticket ticket = handover::decode(text);
  if (!ticket.name.empty()) handover::encode(ticket);
  if (input.size() < handover::request_bytes) return;
  fuzz::expect(!handover::token_in("secret", Nonce{}, input.first(handover::request_bytes)),
               "no token is taken without the secret");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input = fuzz::bytes_of(data, size);
  fuzz::may_refuse([&] {
    frames(input);
    answers(input);
    greeting(input);
    descriptors(input);
  });
  return 0;
}
