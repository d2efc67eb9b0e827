/// @file  What strangers may do to a store server: everything but harm. Meanwhile honest members go on.
#include <poll.h>
#include <sys/resource.h>

#include <random>

#include "bootstrap/address.hpp"
#include "bootstrap/connect.hpp"
#include "bootstrap/frame.hpp"
#include "bootstrap/handshake.hpp"
#include "bootstrap/helpers.hpp"
#include "bootstrap/socket.hpp"
#include "tutti/bootstrap/store_server.hpp"

using namespace helpers;
using tutti::Admission;
using tutti::Admitted;
using tutti::ByteSpan;
using tutti::Code;
using tutti::SocketResult;
using tutti::text_of;
using tutti::UniqueFd;
namespace frame = tutti::frame;
namespace handshake = tutti::handshake;

namespace {

const Admission honest{"job", "a secret"};

// A server, a member that works all the time, and a way for strangers to come.
class Siege {
 public:
  explicit Siege(tutti::ServerLimits limits = {}, Admission admission = honest)
      : admission_(std::move(admission)), server_(endpoint(), admission_, limits) {
    member_ = tutti::connect_store(server_.endpoint(), admission_, in(10s));
  }

  UniqueFd stranger() {
    auto attempt = tutti::connect_to(tutti::addresses_of(server_.endpoint()).front(), in(10s));
    REQUIRE(attempt.socket);
    return std::move(attempt.socket);
  }

  // The member's work; it fails when the server no longer serves.
  void member_works() {
    const auto number = std::to_string(turn_++);
    member_->set("turn", number);
    CHECK(text_of(member_->wait("turn", in(10s))) == number);
  }

  // A newcomer gets in, whoever else stands at the door.
  void newcomer_gets_in() {
    CHECK(tutti::connect_store(server_.endpoint(), admission_, in(20s))->add("newcomers", 1) > 0);
  }

  void server_is_well() {
    member_works();
    newcomer_gets_in();
  }

  tutti::StoreServer& server() { return server_; }

 private:
  static tutti::Endpoint endpoint() {
    return GENERATE(true, false) ? tutti::tcp_endpoint("127.0.0.1", 0) : tutti::unix_endpoint(fresh_name("siege"));
  }

  Admission admission_;
  tutti::StoreServer server_;
  std::shared_ptr<tutti::Store> member_;
  int turn_ = 0;
};

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::mt19937& random, std::size_t count) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

handshake::Hello hello_of(const Admission& admission) {
  return {.has_secret = !admission.secret.empty(),
          .job = admission.job,
          .version = std::string(handshake::library_version()),
          .nonce = tutti::random_nonce()};
}

void send(const UniqueFd& socket, ByteSpan bytes) { tutti::send_all(socket.fd(), bytes, in(10s)); }

// What comes until the other side hangs up.
Bytes all_from(const UniqueFd& socket) {
  Bytes bytes;
  std::byte byte{};
  for (;;) {
    const auto result = tutti::receive_all(socket.fd(), {&byte, 1}, in(20s));
    if (result == SocketResult::closed) return bytes;
    REQUIRE(result == SocketResult::done);  // it does not keep a stranger for ever
    bytes.push_back(byte);
  }
}

void allow_all_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

bool hangs_up_on(const UniqueFd& socket) { return all_from(socket).empty(); }

struct Exchange {
  Bytes hello, answer, proof;
};

// The client's side of an honest handshake, up to the proof, by hand.
Exchange begin_handshake(const UniqueFd& socket, const handshake::Hello& hello, const std::string& secret) {
  Exchange exchange;
  exchange.hello = handshake::encode(hello);
  send(socket, exchange.hello);
  exchange.answer.resize(handshake::answer_bytes);
  REQUIRE(tutti::receive_all(socket.fd(), exchange.answer, in(10s)) == SocketResult::done);
  exchange.answer.resize(handshake::answer_bytes + handshake::answer_rest(exchange.answer).value());
  REQUIRE(tutti::receive_all(socket.fd(), std::span(exchange.answer).subspan(handshake::answer_bytes), in(10s)) ==
          SocketResult::done);
  const auto proof = handshake::client_proof(secret, exchange.hello, exchange.answer);
  exchange.proof.assign(proof.begin(), proof.end());
  return exchange;
}

UniqueFd admitted(Siege& siege) {
  auto attempt = tutti::try_connect(siege.server().endpoint(), honest, in(10s));
  REQUIRE(attempt.outcome == Admitted::Outcome::in);
  return std::move(attempt.socket);
}

}  // namespace

TEST_CASE("random bytes are refused, however many and however cut") {
  Siege siege;
  std::mt19937 random(7);
  for (int turn = 0; turn < 50; ++turn) {
    const auto socket = siege.stranger();
    send(socket, random_bytes(random, 1 + random() % 5000));
    CHECK(hangs_up_on(socket));
    siege.member_works();
  }
  siege.server_is_well();
}

TEST_CASE("a hello with random bytes after its magic is answered or refused, never admitted") {
  Siege siege;
  std::mt19937 random(8);
  const auto good = handshake::encode(hello_of(honest));
  for (int turn = 0; turn < 200; ++turn) {
    auto bytes = good;
    for (std::size_t at = 8; at < bytes.size(); ++at) {
      if (random() % 4 == 0) bytes[at] = static_cast<std::byte>(random());
    }
    const auto more = random_bytes(random, 700);
    bytes.insert(bytes.end(), more.begin(), more.end());
    const auto socket = siege.stranger();
    send(socket, bytes);
    const auto told = all_from(socket);
    CHECK(told.size() <= handshake::answer_bytes + 255 + handshake::last_bytes);
    CHECK(siege.server().members() <= 2);
  }
  siege.server_is_well();
}

TEST_CASE("half a handshake goes when its time is over: silent, slow, or without its proof") {
  Siege siege({.handshake = 200ms});
  const auto silent = siege.stranger();
  const auto slow = siege.stranger();
  const auto unproven = siege.stranger();
  begin_handshake(unproven, hello_of(honest), "");
  std::thread trickle([&, bytes = handshake::encode(hello_of(honest))] {
    for (const std::byte byte : bytes) {
      if (tutti::send_all(slow.fd(), {&byte, 1}, in(10s)) != SocketResult::done) return;
      std::this_thread::sleep_for(20ms);
    }
  });
  siege.server_is_well();
  CHECK(hangs_up_on(silent));
  CHECK(hangs_up_on(unproven));
  all_from(slow);
  trickle.join();
  siege.server_is_well();
}

TEST_CASE("a recorded handshake is useless the next time") {
  Siege siege;
  const auto first = siege.stranger();
  const auto recorded = begin_handshake(first, hello_of(honest), honest.secret);
  send(first, recorded.proof);
  std::array<std::byte, handshake::last_bytes> last{};
  REQUIRE(tutti::receive_all(first.fd(), last, in(10s)) == SocketResult::done);
  REQUIRE(last[0] == std::byte{0});  // it was a good one

  const auto second = siege.stranger();
  send(second, recorded.hello);
  send(second, recorded.proof);
  const auto told = all_from(second);
  REQUIRE(told.size() > handshake::last_bytes);
  const auto verdict = told[told.size() - handshake::last_bytes];
  CHECK(verdict == static_cast<std::byte>(handshake::Verdict::wrong_secret));
  CHECK(std::all_of(told.end() - 32, told.end(), [](std::byte byte) { return byte == std::byte{0}; }));
  siege.server_is_well();
}

TEST_CASE("an honest client with a wrong job, version or secret is told which, at once") {
  Siege siege;
  const auto told = [&](const Admission& admission) {
    const auto error = error_of([&] { tutti::connect_store(siege.server().endpoint(), admission, in(20s)); });
    CHECK(error.code() == Code::bootstrap);
    CHECK(says(error, to_string(siege.server().endpoint())));
    return error;
  };
  CHECK(says(told({"other", "a secret"}), "wrong job: it does not serve job \"other\""));
  CHECK(says(told({"job", "guess"}), "wrong secret: this process and the server hold different ones"));
  CHECK(says(told({"job", ""}), "wrong secret: the job has a secret and this process was given none"));
  const auto verdict_on = [&](const handshake::Hello& hello) {
    const auto socket = siege.stranger();
    send(socket, handshake::encode(hello));
    const auto answer = handshake::decode_answer(all_from(socket));
    return handshake::explain(answer.verdict, answer, honest);
  };
  auto hello = hello_of(honest);
  hello.version = "99.1";
  CHECK(verdict_on(hello) == "wrong version: it runs tutti " TUTTI_VERSION ", this process tutti " TUTTI_VERSION);
  hello = hello_of(honest);
  hello.protocol = 99;
  CHECK(verdict_on(hello).find("wrong version: it speaks protocol 1") == 0);
  siege.server_is_well();
}

TEST_CASE("a job without a secret tells a client that has one") {
  Siege siege({}, {"job", ""});
  const auto error = error_of([&] { tutti::connect_store(siege.server().endpoint(), honest, in(20s)); });
  CHECK(says(error, "wrong secret: this process has a secret and the server was given none"));
  siege.server_is_well();
}

TEST_CASE("a server that does not know the secret, or is none at all, is unmasked by the client") {
  const auto endpoint = tutti::unix_endpoint(fresh_name("impostor"));
  const auto listener = tutti::listen_at(tutti::addresses_of(endpoint).front()).socket;
  const bool speaks = GENERATE(true, false);
  std::thread impostor([&] {
    require(tutti::ready(listener.fd(), POLLIN, in(10s)), "a client");
    const auto visitor = tutti::accept_from(listener.fd()).socket;
    if (!speaks) {
      send(visitor, Bytes(200, std::byte{'x'}));
      all_from(visitor);
      return;
    }
    Bytes bytes(handshake::hello_bytes + honest.job.size() + handshake::library_version().size());
    tutti::receive_all(visitor.fd(), bytes, in(10s));
    send(visitor, handshake::encode(handshake::Answer{.version = "1", .nonce = tutti::random_nonce()}));
    bytes.resize(sizeof(tutti::Proof));
    tutti::receive_all(visitor.fd(), bytes, in(10s));
    send(visitor, Bytes(handshake::last_bytes, std::byte{0}));
    all_from(visitor);
  });
  const auto error = error_of([&] { tutti::connect_store(endpoint, honest, in(20s)); });
  impostor.join();
  CHECK(error.code() == Code::bootstrap);
  CHECK(says(error, speaks ? "wrong secret: the server does not know this job's" : "is not a tutti store"));
}

TEST_CASE("members that break the rules of frames are dropped and change nothing") {
  Siege siege;
  const auto send_and_see = [&](const Bytes& bytes) {
    const auto socket = admitted(siege);
    send(socket, bytes);
    all_from(socket);
    siege.member_works();
  };
  const auto header = [](unsigned verb, unsigned zero, unsigned key, unsigned value) {
    return tutti::ByteWriter()
        .u8(static_cast<std::uint8_t>(verb))
        .u8(static_cast<std::uint8_t>(zero))
        .u16(static_cast<std::uint16_t>(key))
        .u32(value)
        .u64(0)
        .take();
  };
  send_and_see(header(0, 0, 1, 0));                // no such verb
  send_and_see(header(7, 0, 1, 0));                // nor this
  send_and_see(header(2, 1, 1, 0));                // not zero
  send_and_see(header(2, 0, 0, 0));                // no key
  send_and_see(header(2, 0, 4097, 0));             // too long a key
  send_and_see(header(1, 0, 1, (16U << 20) + 1));  // too large a value
  send_and_see(header(1, 0, 1, 0xffffffffU));      // far too large
  send_and_see(header(2, 0, 1, 1));                // a value with a get
  auto two = frame::encode(frame::Ask{.verb = frame::Verb::get, .key = "a"});
  two.insert(two.end(), two.begin(), two.end());
  send_and_see(two);  // out of turn
  const auto waits = admitted(siege);
  send(waits, frame::encode(frame::Ask{.verb = frame::Verb::wait, .key = "never", .number = 60'000}));
  std::this_thread::sleep_for(10ms);
  send(waits, Bytes(1, std::byte{1}));  // speaks while it waits
  CHECK(hangs_up_on(waits));
  siege.server_is_well();
}

TEST_CASE("members that stop in the middle of a frame, hang up while waiting, or never read hold up nobody") {
  Siege siege;
  const auto half = admitted(siege);
  const auto ask = frame::encode(frame::Ask{.verb = frame::Verb::set, .key = "half", .value = Bytes(1000)});
  send(half, ByteSpan(ask).first(500));
  {
    const auto leaver = admitted(siege);
    send(leaver, frame::encode(frame::Ask{.verb = frame::Verb::wait, .key = "later", .number = 60'000}));
  }
  const auto large = Bytes(16U << 20, std::byte{7});
  const auto member = tutti::connect_store(siege.server().endpoint(), honest, in(10s));
  member->set("large", large);
  const auto deaf = admitted(siege);
  send(deaf, frame::encode(frame::Ask{.verb = frame::Verb::get, .key = "large"}));
  member->set("later", "nobody waits any more");
  CHECK_FALSE(member->get("half"));
  siege.server_is_well();
}

TEST_CASE("2,100 connections that say nothing keep no honest client out") {
  Siege siege;
  allow_all_descriptors();
  std::vector<UniqueFd> idle;
  for (int number = 0; number < 2100; ++number) {
    idle.push_back(siege.stranger());
    if (number % 100 == 0) siege.member_works();
  }
  siege.server_is_well();
  // Only as many as the limit are kept.
  std::size_t kept = 0;
  for (const auto& socket : idle) kept += tutti::ready(socket.fd(), POLLIN, in(0s)) ? 0 : 1;
  CHECK(kept <= 256);
}

TEST_CASE("a server without descriptors left drops strangers for them and goes on") {
  CHECK(in_processes(1, [](int) {
          rlimit limit{};
          ::getrlimit(RLIMIT_NOFILE, &limit);
          limit.rlim_cur = open_descriptors() + 40;
          tutti::StoreServer server(tutti::unix_endpoint(fresh_name("poor")), honest);
          ::setrlimit(RLIMIT_NOFILE, &limit);
          // Strangers from another process, so that only the server runs out.
          const pid_t child = ::fork();
          if (child == 0) {
            allow_all_descriptors();
            std::vector<UniqueFd> idle;
            for (int number = 0; number < 30; ++number) {
              for (int each = 0; each < 3; ++each) {
                auto attempt = tutti::connect_to(tutti::addresses_of(server.endpoint()).front(), in(1s));
                if (attempt.socket) idle.push_back(std::move(attempt.socket));
              }
            }
            const auto member = tutti::connect_store(server.endpoint(), honest, in(20s));
            ::_exit(member->add("in", 1) == 1 ? 0 : 1);
          }
          int status = 1;
          ::waitpid(child, &status, 0);
          require(status == 0, "a member got in");
        }).empty());
}

TEST_CASE("a full server says that it is full") {
  Siege siege({.members = 2});
  const auto second = tutti::connect_store(siege.server().endpoint(), honest, in(10s));
  const auto error = error_of([&] { tutti::connect_store(siege.server().endpoint(), honest, in(20s)); });
  CHECK(says(error, "it is full"));
  second->set("key", "value");
  siege.member_works();
}

TEST_CASE("a retired server admits nobody and ends when its last member goes") {
  Siege siege;
  auto last = tutti::connect_store(siege.server().endpoint(), honest, in(10s));
  siege.server().retire();
  siege.member_works();
  CHECK(error_of([&] { tutti::connect_store(siege.server().endpoint(), honest, in(100ms)); }).code() == Code::timeout);
  CHECK_FALSE(siege.server().finished());
}

TEST_CASE("another user at a job's unix socket is hung up on before a word is said") {
  if (::geteuid() != 0) {
    WARN("only root can play another user");
    return;
  }
  const tutti::StoreServer server(tutti::unix_endpoint(fresh_name("mine")), honest);
  CHECK(in_processes(1, [&](int) {
          require(::setuid(65534) == 0, "another user");
          auto attempt = tutti::connect_to(tutti::addresses_of(server.endpoint()).front(), in(5s));
          if (!attempt.socket) return;  // the name is not even his to find
          const auto hello = handshake::encode(hello_of(honest));
          tutti::send_all(attempt.socket.fd(), hello, in(5s));
          std::byte answer{};
          require(tutti::receive_all(attempt.socket.fd(), {&answer, 1}, in(5s)) == SocketResult::closed, "no answer");
          try {
            tutti::connect_store(server.endpoint(), honest, in(500ms));
          } catch (const tutti::Error&) {
            return;
          }
          require(false, "the store admits another user");
        }).empty());
  CHECK(tutti::connect_store(server.endpoint(), honest, in(10s))->add("in", 1) == 1);
}
