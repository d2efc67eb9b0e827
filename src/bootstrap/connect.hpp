/// @file  Connecting to a store server, handshake included: one attempt, and many until a deadline.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/unique_fd.hpp"
#include "tutti/bootstrap/store_server.hpp"

namespace tutti {

/// What one attempt came to.
struct Admitted {
  enum class Outcome {
    in,       ///< `socket` is a member's
    absent,   ///< nobody there, or nobody who speaks yet: may be tried again
    foreign,  ///< somebody else's server: an own one may still come to another endpoint
    refused,  ///< this job's server does not want us; trying again is no use
  };
  Outcome outcome = Outcome::absent;
  UniqueFd socket;
  std::string why;    ///< unless in
  bool gone = false;  ///< absent, and the system says that nobody listens there
};

/// One attempt at each address of the endpoint.
Admitted try_connect(const Endpoint& endpoint, const Admission& admission, Store::Deadline deadline);

struct Connected {
  UniqueFd socket;
  Endpoint endpoint;  ///< the one of the candidates that it is
};

/// Goes round the candidates until one of them is this job's server. With one candidate a foreign server is
/// an error at once, with several only at the deadline. Throws Error(bootstrap) or Error(timeout).
Connected connect_to_one_of(const std::vector<Endpoint>& candidates, const Admission& admission,
                            Store::Deadline deadline, const std::function<void()>& while_waiting);

/// A store over a connection that is there already; more are made when several threads use it at once.
std::shared_ptr<Store> remote_store(Connected connected, Admission admission);

}  // namespace tutti
