/// @file  The metrics server among clients that mean no good: garbage, silence, size, number.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/http_get.hpp"
#include "run/metrics/exporter.hpp"
#include "run/metrics/http_server.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/unique_fd.hpp"
#include "tutti/tutti.hpp"

using namespace tutti;
using namespace tutti::metrics;
using namespace std::chrono_literals;

namespace {

bool server_missing() {
  if (HttpServer::available()) return false;
  WARN("libmicrohttpd is not here: the metrics server was not tested");
  return true;
}

UniqueFd client_of(int port) {
  UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(client.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return client;
}

/// What comes back for these bytes, until the server hangs up or 10 s have passed.
std::string answer_to(int port, const std::string& bytes) {
  const UniqueFd client = client_of(port);
  static_cast<void>(::send(client.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  std::string answer;
  char piece[4096];
  for (;;) {
    pollfd waiting{.fd = client.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 10'000) <= 0) return answer + " (and then silence)";
    const ssize_t got = ::recv(client.fd(), piece, sizeof piece, 0);
    if (got <= 0) return answer;
    answer.append(piece, static_cast<std::size_t>(got));
  }
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

std::string status_of(const std::string& answer) { return answer.substr(0, answer.find('\r')); }

}  // namespace

TEST_CASE("a page is served in the format that the reader asks for, and nothing else is there") {
  if (server_missing()) return;
  const HttpServer server("127.0.0.1", 0,
                          [](Style style) { return style == Style::openmetrics ? "open\n" : "plain\n"; });
  const int port = server.port();
  const std::string plain = answer_to(port, "GET /metrics HTTP/1.0\r\nAccept: text/plain\r\n\r\n");
  CHECK(plain.ends_with("plain\n"));
  CHECK(plain.find("text/plain; version=0.0.4") != std::string::npos);
  const std::string open = answer_to(
      port, "GET /metrics HTTP/1.0\r\nAccept: application/openmetrics-text;version=1.0.0;q=0.75,text/plain\r\n\r\n");
  CHECK(open.ends_with("open\n"));
  CHECK(open.find("application/openmetrics-text; version=1.0.0") != std::string::npos);
  CHECK(cli::http_get("127.0.0.1", static_cast<std::uint16_t>(port), "/metrics", 5s) == "plain\n");
  CHECK(status_of(answer_to(port, "GET /etc/passwd HTTP/1.0\r\n\r\n")).find("404") != std::string::npos);
  CHECK(status_of(answer_to(port, "POST /metrics HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello")).find("405") !=
        std::string::npos);
  CHECK(answer_to(port, "HEAD /metrics HTTP/1.0\r\n\r\n").ends_with("\r\n\r\n"));
}

TEST_CASE("a page that cannot be made is no answer, and the next one is") {
  if (server_missing()) return;
  std::atomic<int> asked{0};
  const HttpServer server("127.0.0.1", 0, [&](Style) -> std::string {
    if (asked++ == 0) throw std::bad_alloc();
    return "well\n";
  });
  CHECK(answer_to(server.port(), "GET /metrics HTTP/1.0\r\n\r\n").empty());
  CHECK(answer_to(server.port(), "GET /metrics HTTP/1.0\r\n\r\n").ends_with("well\n"));
}

TEST_CASE("a port that is taken, and an address of another machine, are named with what to do") {
  if (server_missing()) return;
  const auto page = [](Style) { return std::string(); };
  const HttpServer server("127.0.0.1", 0, page);
  const auto told = [&](const std::string& address, int port) -> std::string {
    try {
      const HttpServer other(address, port, page);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  const std::string taken = told("127.0.0.1", server.port());
  CHECK(taken.find(std::to_string(server.port())) != std::string::npos);
  CHECK(taken.find("choose another port") != std::string::npos);
  CHECK(told("192.0.2.1", 0).find("192.0.2.1") != std::string::npos);
  CHECK(told("somewhere", 0).find("no numeric address") != std::string::npos);
}

TEST_CASE("garbage, huge headers and half requests get an error or nothing, and the server goes on") {
  if (server_missing()) return;
  const HttpServer server("127.0.0.1", 0, [](Style) { return std::string("well\n"); });
  const std::string get = "GET /metrics HTTP/1.1\r\n";
  std::string noise;
  for (int i = 0; i < 20'000; ++i) noise += static_cast<char>(i * 7919 >> 3);
  std::string many_headers = get;
  for (int i = 0; i < 5000; ++i) many_headers += "X-" + std::to_string(i) + ": y\r\n";
  for (const std::string& bytes :
       {noise, std::string(100'000, '\0'), std::string("\r\n\r\n\r\n"), std::string("GET\r\n\r\n"),
        get + "X: " + std::string(1 << 20, 'a') + "\r\n\r\n", many_headers + "\r\n", get + "Content-Length: -1\r\n\r\n",
        get + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n",
        "GET /" + std::string(1 << 20, 'b') + " HTTP/1.1\r\n\r\n",
        "GET /metrics?" + std::string(9000, '&') + " HTTP/1.0\r\n\r\n"}) {
    const std::string answer = answer_to(server.port(), bytes);
    INFO(bytes.substr(0, 40) << " … is answered with " << answer.substr(0, 100));
    CHECK((answer.empty() || answer.starts_with("HTTP/1.")));
  }
  CHECK(cli::http_get("127.0.0.1", static_cast<std::uint16_t>(server.port()), "/metrics", 10s) == "well\n");
}

TEST_CASE("a thousand connections that say nothing take no descriptors, and are gone after a while") {
  if (server_missing()) return;
  const HttpServer server("127.0.0.1", 0, [](Style) { return std::string("well\n"); });
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const rlimit most = {.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096), .rlim_max = files.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &most);
  const std::size_t before = open_descriptors();
  const std::size_t wanted = most.rlim_cur > 1200 ? 1000 : 200;
  std::vector<UniqueFd> clients;
  for (std::size_t i = 0; i < wanted; ++i) {
    UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    static_cast<void>(::connect(client.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
    static_cast<void>(::send(client.fd(), "G", 1, MSG_NOSIGNAL));
    clients.push_back(std::move(client));
  }
  CHECK(open_descriptors() <= before + clients.size() + 32 + 1);  // those it answers at once, and one being turned away
  // They are hung up on, and then a reader is served: at once, or once the silent ones have had their 2 s.
  std::string page;
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (page.empty() && std::chrono::steady_clock::now() < deadline) {
    try {
      page = cli::http_get("127.0.0.1", static_cast<std::uint16_t>(server.port()), "/metrics", 10s);
    } catch (const Error&) {  // not yet
    }
  }
  CHECK(page == "well\n");
  clients.clear();
  ::setrlimit(RLIMIT_NOFILE, &files);
}

TEST_CASE("metrics over HTTP show a call that is under way") {
  if (server_missing()) return;
  Config config;
  config.metrics = "0";
  std::string page;
  in_process(
      2,
      [&](Communicator& comm) {
        std::vector<int> word{comm.rank()};
        all_reduce(comm, on_host(word), sum).wait();
        if (comm.rank() == 1) {
          const auto exporter = Exporter::shared(config.metrics, 0);
          const auto deadline = std::chrono::steady_clock::now() + 20s;
          while (page.find("tutti_calls_in_flight{rank=\"0\"} 1\n") == std::string::npos &&
                 std::chrono::steady_clock::now() < deadline) {
            page = cli::http_get("127.0.0.1", static_cast<std::uint16_t>(exporter->port()), "/metrics", 5s);
          }
        }
        barrier(comm).wait();
      },
      config);
  CHECK(page.find("tutti_calls_in_flight{rank=\"0\"} 1\n") != std::string::npos);
}
