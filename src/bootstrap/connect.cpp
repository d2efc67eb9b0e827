#include "bootstrap/connect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "bootstrap/address.hpp"
#include "bootstrap/handshake.hpp"
#include "bootstrap/socket.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using handshake::Verdict;
using Outcome = Admitted::Outcome;

namespace {

Admitted failed(Outcome outcome, std::string why, bool gone = false) { return {outcome, {}, std::move(why), gone}; }

Admitted judged(Verdict verdict, const handshake::Answer& answer, const Admission& admission) {
  auto why = handshake::explain(verdict, answer, admission);
  switch (verdict) {
    case Verdict::wrong_protocol:
    case Verdict::wrong_job:
      return failed(Outcome::foreign, std::move(why));
    case Verdict::closing:
      return failed(Outcome::absent, std::move(why));
    default:
      return failed(Outcome::refused, std::move(why));
  }
}

// Reads `count` bytes; otherwise says why not.
std::optional<Admitted> read(int socket, std::span<std::byte> bytes, Store::Deadline deadline) {
  switch (receive_all(socket, bytes, deadline)) {
    case SocketResult::done:
      return std::nullopt;
    case SocketResult::closed:
      return failed(Outcome::absent, "it hung up during the handshake");
    case SocketResult::timeout:
      break;
  }
  return failed(Outcome::absent, "it accepted the connection and said nothing");
}

Admitted shake_hands(UniqueFd socket, const Admission& admission, Store::Deadline deadline) {
  const auto hello = handshake::encode(handshake::Hello{.has_secret = !admission.secret.empty(),
                                                        .job = admission.job,
                                                        .version = std::string(handshake::library_version()),
                                                        .nonce = random_nonce()});
  if (send_all(socket.fd(), hello, deadline) != SocketResult::done) {
    return failed(Outcome::absent, "it hung up during the handshake");
  }
  std::vector<std::byte> reply(handshake::answer_bytes);
  if (auto failure = read(socket.fd(), reply, deadline)) return std::move(*failure);
  const auto rest = handshake::answer_rest(reply);
  if (!rest) return failed(Outcome::foreign, "what answers there is not a tutti store");
  reply.resize(handshake::answer_bytes + *rest);
  if (auto failure = read(socket.fd(), std::span(reply).subspan(handshake::answer_bytes), deadline)) {
    return std::move(*failure);
  }
  const auto answer = handshake::decode_answer(reply);
  if (answer.verdict != Verdict::welcome) return judged(answer.verdict, answer, admission);

  if (send_all(socket.fd(), handshake::client_proof(admission.secret, hello, reply), deadline) != SocketResult::done) {
    return failed(Outcome::absent, "it hung up during the handshake");
  }
  std::array<std::byte, handshake::last_bytes> last{};
  if (auto failure = read(socket.fd(), last, deadline)) return std::move(*failure);
  const auto verdict = static_cast<Verdict>(last[0]);
  if (verdict != Verdict::welcome) return judged(verdict, answer, admission);
  if (!same_proof(ByteSpan(last).subspan(1), handshake::server_proof(admission.secret, hello, reply))) {
    return failed(Outcome::refused, "wrong secret: the server does not know this job's");
  }
  return {Outcome::in, std::move(socket), {}, false};
}

std::string what_waits(const std::vector<Endpoint>& candidates) {
  std::string text = to_string(candidates.front());
  if (candidates.size() > 1) text += fmt::format(" and {} more ports", candidates.size() - 1);
  return text;
}

Error refused(const Endpoint& endpoint, const Admission& admission, const std::string& why) {
  return Error(Code::bootstrap, why,
               {.operation = fmt::format("joining job \"{}\" at {}", printable(admission.job), to_string(endpoint)),
                .remedy = "start every rank with the same job, secret and version of tutti, or use another store"});
}

Admitted try_addresses(const Endpoint& endpoint, const std::vector<SocketAddress>& addresses,
                       const Admission& admission, Store::Deadline deadline) {
  if (addresses.empty()) return failed(Outcome::absent, fmt::format("host \"{}\" is not known", endpoint.host));
  Admitted last;
  for (std::size_t at = 0; at < addresses.size(); ++at) {
    // One address that swallows everything must not take the others' time.
    const auto& address = addresses[at];
    const auto left = std::max<Clock::duration>(deadline - Clock::now(), 0ms);
    const auto until = Clock::now() + left / static_cast<int>(addresses.size() - at);
    auto attempt = connect_to(address, until);
    if (!attempt.socket) {
      last = failed(Outcome::absent, std::system_category().message(attempt.error),
                    attempt.error == ECONNREFUSED || attempt.error == ENOENT);
      continue;
    }
    if (address.family() == AF_UNIX && peer_user(attempt.socket.fd()) != ::geteuid()) {
      return failed(Outcome::refused, "another user holds this name");
    }
    last = shake_hands(std::move(attempt.socket), admission, until);
    if (last.outcome != Outcome::absent) return last;
  }
  return last;
}

// The addresses of the candidates, looked up again only now and then: many ranks wait, and there is one name server.
class Addresses {
 public:
  explicit Addresses(const std::vector<Endpoint>& candidates) : candidates_(candidates) {}

  const std::vector<SocketAddress>& of(std::size_t candidate) {
    if (Clock::now() >= fresh_until_) {
      known_.clear();
      for (const Endpoint& endpoint : candidates_) known_.push_back(addresses_of(endpoint));
      fresh_until_ = Clock::now() + 5s;
    }
    return known_[candidate];
  }

 private:
  const std::vector<Endpoint>& candidates_;
  std::vector<std::vector<SocketAddress>> known_;
  Store::Deadline fresh_until_{};
};

}  // namespace

Admitted try_connect(const Endpoint& endpoint, const Admission& admission, Store::Deadline deadline) {
  return try_addresses(endpoint, addresses_of(endpoint), admission, deadline);
}

Connected connect_to_one_of(const std::vector<Endpoint>& candidates, const Admission& admission,
                            Store::Deadline deadline, const std::function<void()>& while_waiting) {
  const bool one = candidates.size() == 1;
  const bool local = candidates.front().kind == Endpoint::Kind::unix_socket;
  const Clock::duration longest_pause = local ? 20ms : 200ms;
  const Clock::duration attempt_time = one ? 5s : 1s;
  Clock::duration pause = 500us;
  std::string why;
  Addresses addresses(candidates);
  do {
    for (std::size_t at = 0; at < candidates.size(); ++at) {
      const Endpoint& endpoint = candidates[at];
      // A deadline in the past still makes one attempt.
      const auto soon = Clock::now() + 100ms;
      const auto until = std::max(soon, std::min(deadline, Clock::now() + attempt_time));
      auto attempt = try_addresses(endpoint, addresses.of(at), admission, until);
      if (attempt.outcome == Outcome::in) return {std::move(attempt.socket), endpoint};
      if (attempt.outcome == Outcome::refused || (one && attempt.outcome == Outcome::foreign)) {
        throw refused(endpoint, admission, attempt.why);
      }
      why = fmt::format("{}: {}", to_string(endpoint), attempt.why);
    }
    if (while_waiting) while_waiting();
    std::this_thread::sleep_for(std::clamp<Clock::duration>(deadline - Clock::now(), 0ms, pause));
    pause = std::min(pause * 3 / 2, longest_pause);
  } while (Clock::now() < deadline);
  throw Error(Code::timeout, fmt::format("rank 0 does not serve the store ({})", why),
              {.operation = fmt::format("joining job \"{}\" at {}", printable(admission.job), what_waits(candidates)),
               .remedy = "see whether rank 0 runs and that all ranks name the same store, or raise TUTTI_TIMEOUT"});
}

std::shared_ptr<Store> connect_store(const Endpoint& endpoint, const Admission& admission, Store::Deadline deadline,
                                     const std::function<void()>& while_waiting) {
  return remote_store(connect_to_one_of({endpoint}, admission, deadline, while_waiting), admission);
}

}  // namespace tutti
