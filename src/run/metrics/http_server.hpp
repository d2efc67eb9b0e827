/// @file  HttpServer: one page of text on a port, by GNU libmicrohttpd, which is loaded when somebody asks for it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "run/metrics/exposition.hpp"

namespace tutti::metrics {

/// Serves /metrics on one thread of its own until it goes. It answers no more than 32 connections at once, reads no more
/// than 16 KiB of each, and hangs up on those that say nothing for 2 s; no client can make it use more.
class HttpServer {
 public:
  /// Called on the server's thread, once for each reader.
  using Page = std::function<std::string(Style)>;

  /// `address` is numeric; port 0: any free one. Throws Error(unsupported) without the library, Error(resource) when the
  /// port is taken or the address is not this machine's.
  HttpServer(const std::string& address, int port, Page page);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const noexcept;

  /// Was it built with the library's header, and is the library here?
  static bool available();

 private:
  struct Daemon;
  std::unique_ptr<Daemon> daemon_;
};

}  // namespace tutti::metrics
