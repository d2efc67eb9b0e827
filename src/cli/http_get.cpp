#include "cli/http_get.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "bootstrap/address.hpp"
#include "bootstrap/socket.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

constexpr std::size_t most_page_bytes = std::size_t{16} << 20;

}  // namespace

std::string http_get(const std::string& host, std::uint16_t port, const std::string& path,
                     std::chrono::milliseconds within) {
  const auto deadline = std::chrono::steady_clock::now() + within;
  const auto refuse = [&](const std::string& what) -> Error {
    return {Code::network,
            fmt::format("http://{}:{}{}: {}", host, port, path, what),
            {.remedy = "is the job running, with TUTTI_METRICS naming this port?"}};
  };
  SocketAttempt attempt{.socket = {}, .error = ENOENT};
  for (const SocketAddress& address : addresses_of(tcp_endpoint(host, port))) {
    attempt = connect_to(address, deadline);
    if (attempt.socket) break;
  }
  if (!attempt.socket) {
    throw refuse(attempt.error == ENOENT ? "no such host"
                                         : std::error_code(attempt.error, std::generic_category()).message());
  }
  // 1.0: the answer ends where the connection does.
  const std::string request =
      fmt::format("GET {} HTTP/1.0\r\nHost: {}:{}\r\nAccept: text/plain\r\n\r\n", path, host, port);
  if (send_all(attempt.socket.fd(), std::as_bytes(std::span(request)), deadline) != SocketResult::done) {
    throw refuse("it takes no request");
  }
  std::string answer;
  std::array<char, 65536> piece{};
  for (;;) {
    if (!ready(attempt.socket.fd(), POLLIN, deadline)) throw refuse("no whole answer in time");
    const ssize_t bytes = ::recv(attempt.socket.fd(), piece.data(), piece.size(), 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (bytes < 0) throw refuse("it hung up");
    if (bytes == 0) break;
    answer.append(piece.data(), static_cast<std::size_t>(bytes));
    if (answer.size() > most_page_bytes) throw refuse("more than 16 MiB");
  }
  const std::size_t body = answer.find("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.") || body == std::string::npos) throw refuse("it does not speak HTTP");
  const std::string_view status = std::string_view(answer).substr(9, 3);
  if (status != "200") throw refuse(fmt::format("it answers with status {}", status));
  return answer.substr(body + 4);
}

}  // namespace tutti::cli
