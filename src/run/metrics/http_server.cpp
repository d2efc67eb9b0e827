#include "run/metrics/http_server.hpp"

#include <fmt/format.h>

#include <utility>

#include "tutti/base/error.hpp"

#if defined(TUTTI_WITH_MICROHTTPD)

#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "tutti/base/unique_fd.hpp"

namespace tutti::metrics {

namespace {

constexpr unsigned most_connections = 32;
constexpr unsigned silent_seconds = 2;
constexpr std::size_t bytes_of_a_connection = 16384;

/// The library's functions. It stays loaded: it may have threads that end late.
struct MicroHttpd {
  decltype(&MHD_start_daemon) start = nullptr;
  decltype(&MHD_stop_daemon) stop = nullptr;
  decltype(&MHD_create_response_from_buffer) make_response = nullptr;
  decltype(&MHD_add_response_header) add_header = nullptr;
  decltype(&MHD_queue_response) queue = nullptr;
  decltype(&MHD_destroy_response) drop = nullptr;
  decltype(&MHD_lookup_connection_value) header = nullptr;
  bool whole = false;

  MicroHttpd() {
    // The number belongs to the header that this was built with.
    void* library = ::dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      return function != nullptr;
    };
    whole = find(start, "MHD_start_daemon") && find(stop, "MHD_stop_daemon") &&
            find(make_response, "MHD_create_response_from_buffer") && find(add_header, "MHD_add_response_header") &&
            find(queue, "MHD_queue_response") && find(drop, "MHD_destroy_response") &&
            find(header, "MHD_lookup_connection_value");
  }
};

const MicroHttpd& micro_httpd() {
  static const MicroHttpd library;
  return library;
}

UniqueFd listen_on(const std::string& address, int port) {
  sockaddr_storage storage{};
  socklen_t length = 0;
  auto* four = reinterpret_cast<sockaddr_in*>(&storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&storage);
  if (::inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(static_cast<std::uint16_t>(port));
    length = sizeof *four;
  } else if (::inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(static_cast<std::uint16_t>(port));
    length = sizeof *six;
  } else {
    throw Error(Code::invalid_argument, fmt::format("metrics: \"{}\" is no numeric address", address),
                {.remedy = "write 127.0.0.1, 0.0.0.0 or [::1]"});
  }
  UniqueFd socket(::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (socket.fd() < 0 || ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&storage), length) != 0 || ::listen(socket.fd(), 64) != 0) {
    throw_errno(Code::resource, fmt::format("metrics: cannot listen on {}, port {}", address, port),
                "another job may be there: choose another port in TUTTI_METRICS, or 0 for any free one");
  }
  return socket;
}

int port_of_socket(int socket) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &length);
  return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                                             : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

/// Threads that the library starts take no signals of the program.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &kept_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &kept_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t kept_{};
};

MHD_Result answer(MHD_Connection* connection, unsigned status, std::string_view type, std::string_view text) {
  const MicroHttpd& library = micro_httpd();
  MHD_Response* response = library.make_response(text.size(), const_cast<char*>(text.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  library.add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, std::string(type).c_str());
  library.add_header(response, "X-Content-Type-Options", "nosniff");
  const MHD_Result result = library.queue(connection, status, response);
  library.drop(response);
  return result;
}

MHD_Result respond(void* page, MHD_Connection* connection, const char* url, const char* method, const char* /*version*/,
                   const char* /*upload*/, std::size_t* /*upload_size*/, void** /*state*/) {
  constexpr std::string_view plain = "text/plain; charset=utf-8";
  try {
    if (std::strcmp(method, MHD_HTTP_METHOD_GET) != 0 && std::strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
      return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, plain, "only GET and HEAD\n");
    }
    if (std::strcmp(url, "/") == 0) return answer(connection, MHD_HTTP_OK, plain, "metrics are at /metrics\n");
    if (std::strcmp(url, "/metrics") != 0) return answer(connection, MHD_HTTP_NOT_FOUND, plain, "look at /metrics\n");
    const char* accept = micro_httpd().header(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    const bool open = accept == nullptr || std::strstr(accept, "application/openmetrics-text") != nullptr;
    const Style style = open ? Style::openmetrics : Style::prometheus;
    return answer(connection, MHD_HTTP_OK, Exposition::content_type(style),
                  (*static_cast<const HttpServer::Page*>(page))(style));
  } catch (...) {  // no exception may cross the library
    return MHD_NO;
  }
}

}  // namespace

struct HttpServer::Daemon {
  Page page;
  int port = 0;
  MHD_Daemon* handle = nullptr;
};

HttpServer::HttpServer(const std::string& address, int port, Page page) : daemon_(std::make_unique<Daemon>()) {
  if (!available()) {
    throw Error(Code::unsupported, "metrics over HTTP need libmicrohttpd.so.12, which is not here",
                {.remedy = "install libmicrohttpd12, or let TUTTI_METRICS name a folder: file:FOLDER"});
  }
  daemon_->page = std::move(page);
  UniqueFd socket = listen_on(address, port);
  daemon_->port = port_of_socket(socket.fd());
  const SignalsBlocked blocked;
  daemon_->handle =
      micro_httpd().start(MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD, 0, nullptr, nullptr, &respond,
                          &daemon_->page, MHD_OPTION_LISTEN_SOCKET, socket.fd(), MHD_OPTION_CONNECTION_LIMIT,
                          most_connections, MHD_OPTION_CONNECTION_TIMEOUT, silent_seconds,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, bytes_of_a_connection, MHD_OPTION_END);
  if (daemon_->handle == nullptr) {
    throw Error(Code::resource, fmt::format("metrics: libmicrohttpd cannot serve {}, port {}", address, daemon_->port),
                {.remedy = "look at the limits on threads and descriptors (ulimit -u, ulimit -n)"});
  }
  static_cast<void>(socket.release());  // the library closes it
}

HttpServer::~HttpServer() {
  if (daemon_->handle != nullptr) micro_httpd().stop(daemon_->handle);
}

int HttpServer::port() const noexcept { return daemon_->port; }

bool HttpServer::available() { return micro_httpd().whole; }

}  // namespace tutti::metrics

#else

namespace tutti::metrics {

struct HttpServer::Daemon {};

HttpServer::HttpServer(const std::string& /*address*/, int /*port*/, Page /*page*/) {
  throw Error(
      Code::unsupported, "this build has no metrics over HTTP",
      {.remedy = "build it where libmicrohttpd-dev is installed, or let TUTTI_METRICS name a folder: file:FOLDER"});
}
HttpServer::~HttpServer() = default;
int HttpServer::port() const noexcept { return 0; }
bool HttpServer::available() { return false; }

}  // namespace tutti::metrics

#endif
