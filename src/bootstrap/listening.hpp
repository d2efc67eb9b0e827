/// @file  Listening: the sockets on which one endpoint is served.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tutti/base/unique_fd.hpp"
#include "tutti/bootstrap/endpoint.hpp"

namespace tutti {

/// Removes the file of a unix socket with a path when it goes.
class SocketFile {
 public:
  SocketFile() = default;
  explicit SocketFile(std::string path) : path_(std::move(path)) {}
  SocketFile(SocketFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  SocketFile& operator=(SocketFile&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~SocketFile();
  void release() { path_.clear(); }  ///< leaves the file alone

 private:
  std::string path_;
};

struct Listening {
  std::vector<UniqueFd> sockets;  ///< one for each address of the host, all on one port
  Endpoint endpoint;              ///< with the port that was given
  SocketFile file;
};

/// `listen`: see StoreServer. Throws Error(resource) when the address is in use, Error(bootstrap) when it is
/// not an address of this machine or may not be used.
Listening open_listening(const Endpoint& endpoint, const std::string& listen);

}  // namespace tutti
